import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef } from 'react';
import type { InstanceDetail } from '../../../src/workflows/workflows.schemas.ts';
import { useApi } from '../api/hooks.ts';
import { useServerEvents } from '../api/server-events.ts';
import { applyEvents, type LiveEvent } from './live.ts';
import { hasEnded } from './status.ts';

const names = ['instance', 'task', 'custom', 'reset'];

export const instanceApi = (id: string): string => `/api/workflows/${id}`;

/** One instance as it is now, and as it changes. */
export function useInstance(id: string) {
  const path = instanceApi(id);
  const client = useQueryClient();
  const query = useApi<InstanceDetail>(path);
  const { data, refetch } = query;
  const isOver = data !== undefined && isWholeOver(data);
  const count = data?.tasks.length ?? 0;
  const waiting = useRef<LiveEvent[]>([]);

  // Many events come at once: one change of the page for all of them. One with thousands of tasks is a long answer and much
  // to draw, so both happen less often.
  const show = useTimer(30 + count / 20, () => {
    const events = waiting.current;
    waiting.current = [];
    client.setQueryData<InstanceDetail>(['api', path], (known) => known && applyEvents(known, events));
  });
  /** Results, errors and times are not in the stream. Of what is over nothing more comes, and it may be deleted any moment. */
  const readSoon = useTimer(250 + count, () => void refetch(), !isOver);

  const connection = useServerEvents(isOver ? null : `/api/events?instance=${id}`, names, (name, event) => {
    if (name === 'task' || name === 'instance') {
      waiting.current.push({ ...(event as LiveEvent), event: name } as LiveEvent); // what the stream calls so
      show();
    }
    readSoon();
  });
  // Between the first answer and the beginning of the stream something may have happened.
  const isListening = connection === 'open';
  const readNow = useEffectEvent(readSoon);
  useEffect(() => {
    if (isListening) readNow();
  }, [isListening]);
  return { query, connection, isOver };
}

/** Hooks may run when the instance has ended already. */
const isWholeOver = ({ finished, tasks }: InstanceDetail): boolean =>
  finished !== null && tasks.every(({ status }) => hasEnded(status));

/** Does it once, a moment after it was first asked to; what is asked meanwhile is answered by the same. Not any more when it is not wanted any more. */
function useTimer(delayMs: number, act: () => void, isWanted = true): () => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    if (!isWanted) return undefined;
    return () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    };
  }, [isWanted]);
  return () => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      act();
    }, delayMs);
  };
}
