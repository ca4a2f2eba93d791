import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import { StartupError } from '../errors.ts';
import { ServerRefusal } from './client.ts';
import { customEvent, type InstanceDetail, instanceEvent, isFinal, taskEvent } from './workflow-answers.ts';
import type { ServerEvent } from './workflow-sse.ts';
import { applyInstanceEvent, applyRead, applyTaskEvent, type Change, type Step } from './workflow-state.ts';

export type InstanceSource = {
  read(): Promise<InstanceDetail>;
  openEvents(options: { lastId?: string; signal: AbortSignal }): Promise<AsyncIterable<ServerEvent>>;
};

export type FollowOptions = {
  onChange(state: InstanceDetail, changes: Change[]): void;
  /** How often to read while there is no stream. */
  pollMs?: number;
  /** How often to read although there is one: should an event be lost, nobody waits for ever. */
  netMs?: number;
  /** How long the server may be away. */
  patienceMs?: number;
};

/** Tells of every change until the instance has ended, and returns it as it ended. */
export async function followInstance(
  source: InstanceSource,
  { onChange, pollMs = 1000, netMs = 10_000, patienceMs = 60_000 }: FollowOptions,
): Promise<InstanceDetail> {
  const ended = new AbortController();
  const { signal } = ended;
  let state = await source.read();
  onChange(state, applyRead(undefined, state).changes);
  let isStreaming = false;
  let isStale = false;
  let lastId: string | undefined;
  let lastReadMs = performance.now();

  const take = (step: Step): void => {
    // Reads and events race; whoever brings the end is the last to be heard.
    if (signal.aborted) return;
    state = step.state;
    if (isFinal(state.status)) ended.abort();
    onChange(state, step.changes);
  };
  const read = oneAtATime(async () => {
    isStale = false;
    take(applyRead(state, await source.read()));
    lastReadMs = performance.now();
  });

  const takeEvents = async (): Promise<void> => {
    for await (const event of await openStream()) {
      lastId = event.id ?? lastId;
      if (event.event === 'reset') lastId = undefined;
      const step = stepOf(state, event);
      if (step.changes.length > 0 || step.state !== state) take(step);
      isStale ||= step.read === 'soon';
      if (step.read === 'now') await read();
      if (signal.aborted) return;
    }
  };
  const openStream = async () => {
    const events = await source.openEvents({ lastId, signal });
    isStreaming = true;
    // What happened before the stream began is not in it.
    await read();
    return events;
  };
  const stream = async (): Promise<void> => {
    while (!signal.aborted) {
      // A server without events is asked every second instead; one that went away may come back.
      await takeEvents().catch(() => undefined);
      isStreaming = false;
      await pause(pollMs * 5, signal);
    }
  };
  const poll = async (): Promise<void> => {
    while (!signal.aborted) {
      await pause(pollMs, signal);
      const sinceMs = performance.now() - lastReadMs;
      if (signal.aborted || (isStreaming && !isStale && sinceMs < netMs)) continue;
      await read().catch((error: unknown) => {
        const isAway = error instanceof StartupError && !(error instanceof ServerRefusal);
        if (signal.aborted || (isAway && performance.now() - lastReadMs < patienceMs)) return;
        ended.abort();
        throw error;
      });
    }
  };
  if (isFinal(state.status)) return state;
  await Promise.all([poll(), stream()]);
  return state;
}

function stepOf(state: InstanceDetail, { event, data }: ServerEvent): Step {
  const nothing: Step = { state, changes: [], read: 'no' };
  const json = parseJson(data);
  const isOurs = (value: { instance_id: string }) => value.instance_id === state.id;
  const parse = <T extends { instance_id: string }>(schema: z.ZodType<T>): T | undefined => {
    const parsed = schema.safeParse(json);
    return parsed.success && isOurs(parsed.data) ? parsed.data : undefined;
  };
  if (event === 'reset') return { ...nothing, read: 'now' };
  if (event === 'task') {
    const value = parse(taskEvent);
    return value ? applyTaskEvent(state, value) : nothing;
  }
  if (event === 'instance') {
    const value = parse(instanceEvent);
    return value ? applyInstanceEvent(state, value) : nothing;
  }
  const value = event === 'custom' ? parse(customEvent) : undefined;
  if (!value) return nothing;
  return { ...nothing, changes: [{ kind: 'custom', at: value.at, type: value.type, data: value.data }] };
}

/** While one runs, those who ask wait for one more that begins after they asked. */
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  let next: Promise<void> | undefined;
  const start = (): Promise<void> => {
    const mine = work().finally(() => {
      if (running === mine) running = undefined;
    });
    running = mine;
    return mine;
  };
  return () => {
    if (running === undefined) return start();
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return start();
      });
    return next;
  };
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => undefined);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
