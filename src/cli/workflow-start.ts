import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { StartupError } from '../errors.ts';
import { createClient, reasonOf } from './client.ts';
import { type ClientOptions, clientConfig, clientFor } from './client-options.ts';
import { printAnswer } from './output.ts';
import { printable } from './table.ts';
import { anything, instance } from './workflow-answers.ts';
import { type Parameter, payloadOf } from './workflow-arguments.ts';
import { getTask, resolveInstance } from './workflow-lookup.ts';
import { describeStarted } from './workflow-text.ts';
import { watchInstance } from './workflow-watch.ts';

type WatchOptions = ClientOptions & { watch?: boolean };

export type RunOptions = WatchOptions & {
  payload?: string;
  payloadFile?: string;
  parameter?: Parameter[];
  comment?: string;
  idempotencyKey?: string;
};

export async function runWorkflow(which: { project: string; name: string }, options: RunOptions): Promise<void> {
  const payload = payloadOf(await givenPayload(options), options.parameter ?? []);
  const config = clientConfig(options);
  const headers: Record<string, string> = {};
  if (options.idempotencyKey !== undefined) headers['idempotency-key'] = options.idempotencyKey;
  const body = { ...which, payload, ...(options.comment === undefined ? {} : { comment: options.comment }) };
  const answer = await createClient(config).post('/api/workflows', instance, body, headers);
  if (options.watch) return watchInstance(config, answer.value.id, options);
  const isReplayed = answer.headers.get('idempotency-replayed') === 'true';
  printAnswer(answer, options, (value) => describeStarted(isReplayed ? 'Had already started' : 'Started', value));
}

async function givenPayload({ payload, payloadFile }: RunOptions) {
  if (payload !== undefined && payloadFile !== undefined)
    throw new StartupError('Give the payload with --payload or with --payload-file, not both.');
  if (payload !== undefined) return { text: payload, source: '--payload' };
  if (payloadFile === undefined) return undefined;
  if (payloadFile === '-') return { text: await readAll(process.stdin), source: 'standard input' };
  const text = await readFile(payloadFile, 'utf8').catch((error: unknown) => {
    throw new StartupError(`${payloadFile} cannot be read (${reasonOf(error)}).`);
  });
  return { text, source: payloadFile };
}

/** relaunch and retry make a new instance from a former one. */
export const startAgain =
  (operation: 'relaunch' | 'retry', verb: string) =>
  async (reference: string, options: WatchOptions): Promise<void> => {
    const config = clientConfig(options);
    const client = createClient(config);
    const id = await resolveInstance(client, reference);
    const answer = await client.post(`/api/workflows/${id}/${operation}`, instance, undefined);
    if (options.watch) return watchInstance(config, answer.value.id, options);
    printAnswer(answer, options, (value) => describeStarted(verb, value));
  };

export async function cancelInstance(reference: string, options: WatchOptions): Promise<void> {
  const config = clientConfig(options);
  const client = createClient(config);
  const id = await resolveInstance(client, reference);
  const answer = await client.post(`/api/workflows/${id}/cancel`, anything, undefined);
  if (options.watch) return watchInstance(config, id, options, 'canceled');
  printAnswer(answer, options, () => `Canceled ${id}; tasks that run are told to stop.`);
}

export async function approveTask(reference: string, keyOrId: string, options: WatchOptions): Promise<void> {
  const config = clientConfig(options);
  const client = createClient(config);
  const { instance, task } = await getTask(client, await resolveInstance(client, reference), keyOrId);
  const answer = await client.post(`/api/workflows/${instance.id}/tasks/${task.id}/approve`, anything, undefined);
  if (options.watch) return watchInstance(config, instance.id, options);
  printAnswer(answer, options, () => `Approved ${printable(task.key)} of ${printable(instance.fullname)}.`);
}

export const switchSchedule =
  (operation: 'pause' | 'resume', sentence: (fullname: string) => string) =>
  async (fullname: string, options: ClientOptions): Promise<void> => {
    const path = `/api/definitions/${encodeURIComponent(fullname)}/${operation}`;
    const answer = await clientFor(options).post(path, anything, undefined);
    printAnswer(answer, options, () => sentence(printable(fullname)));
  };
