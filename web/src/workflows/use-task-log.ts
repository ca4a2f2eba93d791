import { useEffect, useState } from 'react';
import type { LogPage } from '../../../src/workflows/workflows.schemas.ts';

export type LogLine = LogPage['lines'][number];
export type TaskLog = { lines: LogLine[]; state: 'reading' | 'following' | 'ended' | 'lost' };

const flushMs = 100;

/** What a task wrote, and what it writes, until it has ended. Of one task: another one is another component. */
export function useTaskLog(instanceId: string, taskId: string): TaskLog {
  const [log, setLog] = useState<TaskLog>({ lines: [], state: 'reading' });
  useEffect(() => {
    const source = new EventSource(`/api/workflows/${instanceId}/tasks/${taskId}/logs?follow=true`);
    let lastId = 0;
    let waiting: LogLine[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    // Many lines come at once: one change of the page for all of them.
    const flush = (state: TaskLog['state']): void => {
      clearTimeout(timer);
      timer = undefined;
      const fresh = waiting;
      waiting = [];
      setLog(({ lines }) => ({ lines: fresh.length > 0 ? [...lines, ...fresh] : lines, state }));
    };
    source.addEventListener('line', ({ data }) => {
      const line = JSON.parse(data as string) as LogLine; // what the stream calls so
      if (line.id <= lastId) return; // told again after an interruption
      lastId = line.id;
      waiting.push(line);
      timer ??= setTimeout(() => flush('following'), flushMs);
    });
    source.addEventListener('end', () => {
      source.close();
      flush('ended');
    });
    source.addEventListener('open', () => flush('following'));
    source.addEventListener('error', () => flush(source.readyState === EventSource.CLOSED ? 'lost' : 'reading'));
    return () => {
      clearTimeout(timer);
      source.close();
    };
  }, [instanceId, taskId]);
  return log;
}
