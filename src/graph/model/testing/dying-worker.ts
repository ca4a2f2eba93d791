import { parentPort } from 'node:worker_threads';
// oxlint-disable-next-line import/no-unassigned-import -- it listens on the same port
import '../model-worker.ts';
import type { ToModel } from '../protocol.ts';

/** A model thread that dies when it is asked about the label `Death`. */
parentPort?.on('message', (message: ToModel) => {
  if (message.type === 'query' && message.query.kind === 'nodes' && message.query.label === 'Death') process.exit(1);
});
