import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientConfig } from '../client-config.ts';
import { type Client, createClient } from './client.ts';
import { type ClientOptions, clientConfig } from './client-options.ts';
import { print } from './output.ts';
import { instanceDetail, isFinal, type LogLine, logEvent } from './workflow-answers.ts';
import { logsPath, readLogs } from './workflow-log-pages.ts';
import { getTask, resolveInstance } from './workflow-lookup.ts';
import { describeLogLine } from './workflow-show.ts';
import { openEvents } from './workflow-stream.ts';

const checkMs = 1000;

export async function showLogs(
  reference: string,
  keyOrId: string,
  options: ClientOptions & { follow?: boolean },
): Promise<void> {
  const config = clientConfig(options);
  const client = createClient(config);
  const { instance, task } = await getTask(client, await resolveInstance(client, reference), keyOrId);
  const show = (line: LogLine) => print(options.json ? JSON.stringify(line) : describeLogLine(line));
  if (!options.follow) {
    for await (const line of readLogs(client, instance.id, task.id)) show(line);
    return;
  }
  await followLogs({ config, client, instanceId: instance.id, taskId: task.id, show });
}

type Following = {
  config: ClientConfig;
  client: Client;
  instanceId: string;
  taskId: string;
  show: (line: LogLine) => void;
};

/**
 * Lines come by the stream where there is one. Every second the task is asked whether it has ended; what the stream has not brought
 * by then is read, and that is the end.
 */
async function followLogs({ config, client, instanceId, taskId, show }: Following): Promise<void> {
  let last = 0;
  const take = (line: LogLine) => {
    if (line.id <= last) return;
    last = line.id;
    show(line);
  };
  const drain = async () => {
    for await (const line of readLogs(client, instanceId, taskId, last)) take(line);
  };
  const ended = new AbortController();
  let isStreaming = false;
  const stream = async () => {
    const path = `${logsPath(instanceId, taskId)}?follow=true&after=${last}`;
    const events = await openEvents(config, path, { signal: ended.signal });
    isStreaming = true;
    for await (const { event, data } of events) if (event === 'line') take(logEvent.parse(JSON.parse(data)));
  };
  await drain();
  const streamed = stream()
    // A server without the stream, or one that ended it: lines are read every second instead.
    .catch(() => undefined)
    .finally(() => {
      isStreaming = false;
    });
  try {
    for (;;) {
      const { tasks } = (await client.get(`/api/workflows/${instanceId}`, instanceDetail)).value;
      const task = tasks.find((each) => each.id === taskId);
      const isOver = task === undefined || isFinal(task.status);
      if (isOver || !isStreaming) await drain();
      if (isOver) return;
      await sleep(checkMs);
    }
  } finally {
    ended.abort();
    await streamed;
  }
}
