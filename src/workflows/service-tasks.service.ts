import { createReadStream } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { Readable } from 'node:stream';
import type { Actor } from '../identity/access.ts';
import { systemActor } from '../identity/access.ts';
import { emitWith, graphImportWith, notifyWith, sleepWith } from './built-ins.ts';
import type { ServiceTask, StepOutcome } from './steps.service.ts';
import type { StepsStore } from './steps.store.ts';
import type { OutboundGuard } from './worker/outbound.ts';
import { openGuarded, postGuarded } from './worker/outbound-request.ts';

export const workflowActor: Actor = { ...systemActor, userName: 'workflow' };

type ImportResult = { accepted: number; unchanged: number; rejected: number; version: number };

/** The built-in tasks that need the service itself: they wait without a worker, or write to what only the service may write to. */
export function createServiceTasks(deps: {
  steps: Pick<StepsStore, 'emit'>;
  home: string;
  guard: OutboundGuard;
  findTeam: (nameOrId: string) => Promise<string | undefined>;
  ingest: (teamId: string, source: AsyncIterable<Uint8Array>) => Promise<ImportResult>;
  writeNews: (item: { title: string; message: string }) => Promise<void>;
  notifyChannel: (
    nameOrId: string,
    text: { title: string; message: string; key: string; data: { [key: string]: unknown } },
  ) => Promise<{ refused: string } | { name: string }>;
  /** Those of other features. */
  more?: Record<string, ServiceTask>;
  /** An event was written. */
  wakeEvents: () => void;
}): Record<string, ServiceTask> {
  const graphImport: ServiceTask = async (call) => {
    const { team, messages, url, file } = graphImportWith.parse(call.with);
    const teamId = await deps.findTeam(team);
    if (teamId === undefined) return { failed: `There is no team "${team}".` };
    let source: AsyncIterable<Uint8Array>;
    if (messages) source = Readable.from(messages.map((message) => Buffer.from(`${JSON.stringify(message)}\n`)));
    else if (url !== undefined) source = await openGuarded(url, deps.guard, call.signal);
    else source = createReadStream(await insideHome(deps.home, file ?? ''));
    const result = await deps.ingest(teamId, source);
    call.log(`${result.accepted} messages accepted, ${result.unchanged} changed nothing, ${result.rejected} rejected`);
    return {
      done: {
        accepted: result.accepted,
        unchanged: result.unchanged,
        rejected: result.rejected,
        version: result.version,
      },
    };
  };

  /** To a channel, or to an address that takes {"text": …}, as chat systems do; without either, to everybody who reads the news. */
  const notify: ServiceTask = async (call): Promise<StepOutcome> => {
    const { title, message, url, channel } = notifyWith.parse(call.with);
    if (channel !== undefined) {
      const { id, plan } = call.context;
      // The task's id: however often it is tried, the channel is told once.
      const text = { title, message, key: `task ${call.taskId}`, data: { workflow: { id, fullname: plan.fullname } } };
      const told = await deps.notifyChannel(channel, text);
      return 'refused' in told ? { failed: told.refused, isRetryable: false } : { done: { sent_to: told.name } };
    }
    if (url === undefined) {
      await deps.writeNews({ title, message });
      return { done: { sent_to: 'news' } };
    }
    const status = await postGuarded(url, { text: `${title}\n${message}` }, deps.guard, call.signal);
    if (status >= 200 && status < 300) return { done: { sent_to: url, status } };
    return { failed: `${url} answered ${status}.`, isRetryable: status >= 500 || status === 429 };
  };

  const emit: ServiceTask = async (call) => {
    const { type, data } = emitWith.parse(call.with);
    await deps.steps.emit(['c', call.context.id, type, data]);
    deps.wakeEvents();
    return { done: null };
  };

  return { sleep, 'graph.import': graphImport, notify, emit, ...deps.more };
}

/** Nobody has to stay awake for it: the row has an alarm. */
const sleep: ServiceTask = async (call): Promise<StepOutcome> => {
  if (call.memo !== null) return { done: null };
  const { seconds, until } = sleepWith.parse(call.with);
  const dueInSeconds = seconds ?? Math.max(0, (Date.parse(until ?? '') - Date.now()) / 1000);
  return { parked: { memo: { sleeps: true }, dueInSeconds } };
};

/** Links that lead out of the home are not followed. */
async function insideHome(home: string, file: string): Promise<string> {
  const [root, path] = await Promise.all([realpath(home), realpath(join(home, file))]);
  if (!path.startsWith(root + sep)) throw new Error(`${file} does not lie in the home.`);
  return path;
}
