import { parentPort } from 'node:worker_threads';
import { stepBack } from '../thread-priority.ts';
import { buffersOf, rollUp } from './roll-up.ts';
import type { FromRollUp, ToRollUp } from './roll-up-thread.ts';

/** The thread that computes figures, so that the one that answers requests does not. */

stepBack(15);

parentPort?.on('message', ({ job, table, figures, query }: ToRollUp) => {
  try {
    const rolled = rollUp(table, figures, query);
    post({ job, figures: rolled }, buffersOf(rolled));
  } catch (error) {
    post({ job, message: error instanceof Error ? error.message : String(error) }, []);
  }
});

function post(message: FromRollUp, transfer: ArrayBuffer[]): void {
  parentPort?.postMessage(message, transfer);
}
