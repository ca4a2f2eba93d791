import type { Client } from './client.ts';
import { type LogLine, logPage } from './workflow-answers.ts';

export const logsPath = (instanceId: string, taskId: string): string =>
  `/api/workflows/${instanceId}/tasks/${taskId}/logs`;

/** All lines after the given one, page by page. */
export async function* readLogs(
  client: Client,
  instanceId: string,
  taskId: string,
  after = 0,
): AsyncGenerator<LogLine> {
  for (let from = after; ; ) {
    const { lines, next } = (await client.get(`${logsPath(instanceId, taskId)}?after=${from}`, logPage)).value;
    yield* lines;
    if (lines.length === 0 || next <= from) return;
    from = next;
  }
}
