import { expect, test } from 'vitest';
import { StartupError } from '../errors.ts';
import { ServerRefusal } from './client.ts';
import type { InstanceDetail, Status } from './workflow-answers.ts';
import { followInstance, type InstanceSource } from './workflow-follow.ts';
import type { ServerEvent } from './workflow-sse.ts';

const detail = (status: Status): InstanceDetail => ({
  id: 'i',
  project: 'p',
  name: 'N',
  fullname: 'p.N',
  status,
  periodic: false,
  created: '2026-11-15T02:08:00Z',
  updated: '2026-11-15T02:08:00Z',
  tasks: [],
});
const away = new StartupError('The server cannot be reached.');
const noStream: InstanceSource['openEvents'] = () => Promise.reject(new ServerRefusal('no events'));

/** Answers in this order, the last one for ever. */
function answers(...list: Array<Status | Error>): { read: () => Promise<InstanceDetail>; count: () => number } {
  let count = 0;
  const read = async () => {
    const answer = list[Math.min(count++, list.length - 1)];
    if (answer === undefined || answer instanceof Error) throw answer ?? new Error('no answer');
    return detail(answer);
  };
  return { read, count: () => count };
}

const follow = async (source: InstanceSource, more: { netMs?: number; patienceMs?: number } = {}) => {
  const seen: string[] = [];
  const onChange = (_state: InstanceDetail, changes: Array<{ kind: string; status?: string }>) =>
    void seen.push(...changes.map((change) => `${change.kind} ${change.status ?? ''}`));
  const ended = await followInstance(source, { onChange, pollMs: 2, ...more });
  return { seen, status: ended.status };
};

test('what has ended already is told once', async () => {
  const { read, count } = answers('success');
  expect(await follow({ read, openEvents: noStream })).toEqual({ seen: ['instance success'], status: 'success' });
  expect(count()).toBe(1);
});

test('a server that is away for a while is waited for', async () => {
  const { read } = answers('pending', away, away, 'progress', away, 'success');
  const { seen } = await follow({ read, openEvents: () => Promise.reject(away) });
  expect(seen).toEqual(['instance pending', 'instance progress', 'instance success']);
});

test('one that stays away, or says no, ends the following', async () => {
  const gone = { read: answers('pending', away).read, openEvents: noStream };
  await expect(follow(gone, { patienceMs: 0 })).rejects.toThrow('cannot be reached');
  const deleted = {
    read: answers('pending', new ServerRefusal('There is no such instance.')).read,
    openEvents: noStream,
  };
  await expect(follow(deleted)).rejects.toThrow('no such instance');
});

test('a stream that stays silent keeps nobody waiting for ever', async () => {
  const { read } = answers('pending', 'pending', 'success');
  // The first read, the one after the stream began, and the net.
  const openEvents: InstanceSource['openEvents'] = async ({ signal }) => silence(signal);
  expect((await follow({ read, openEvents }, { netMs: 5 })).status).toBe('success');
});

test('a reset is a reason to read, and what the stream says of others is not', async () => {
  const { read } = answers('pending', 'pending', 'success');
  const other = JSON.stringify({ instance_id: 'other', status: 'error', at: '2026-11-15T02:09:00Z' });
  async function* events(signal: AbortSignal): AsyncGenerator<ServerEvent> {
    yield { id: '1-0', event: 'instance', data: other };
    yield { id: '1-1', event: 'task', data: 'no JSON' };
    yield { id: undefined, event: 'reset', data: '{}' };
    yield* silence(signal);
  }
  const openEvents: InstanceSource['openEvents'] = async ({ signal }) => events(signal);
  const { seen } = await follow({ read, openEvents }, { netMs: 3_600_000 });
  expect(seen).toEqual(['instance pending', 'instance success']);
});

async function* silence(signal: AbortSignal): AsyncGenerator<ServerEvent> {
  await new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
  yield { id: undefined, event: 'never', data: '' };
}
