import { type ClientOptions, clientFor } from './client-options.ts';
import type { Screen } from './impact-text.ts';
import { formatCount } from './import-progress.ts';
import { print } from './output.ts';
import { printable } from './table.ts';
import { type InstanceDetail, instanceDetail, type LogLine, type Task, waitsForApproval } from './workflow-answers.ts';
import { drawTasks, fit, layOut, paint } from './workflow-draw.ts';
import { readLogs } from './workflow-log-pages.ts';
import { resolveInstance } from './workflow-lookup.ts';
import { headOf } from './workflow-text.ts';

export async function showInstance(reference: string, options: ClientOptions & { logs?: boolean }): Promise<void> {
  const client = clientFor(options);
  const id = await resolveInstance(client, reference);
  const { value, json } = await client.get(`/api/workflows/${id}`, instanceDetail);
  const logs: TaskLogs[] = [];
  for (const task of options.logs ? value.tasks : []) {
    const lines: LogLine[] = [];
    for await (const line of readLogs(client, id, task.id)) lines.push(line);
    logs.push({ task, lines });
  }
  if (options.json) {
    const withLogs = logs.map(({ task, lines }) => ({ task_id: task.id, key: task.key, lines }));
    // The schema has found an object.
    const whole = options.logs ? { ...(json as object), logs: withLogs } : json;
    return print(JSON.stringify(whole, undefined, 2));
  }
  const { stdout } = process;
  const screen = { isStyled: stdout.isTTY && stdout.hasColors(), width: stdout.isTTY ? stdout.columns : undefined };
  print(describeInstance(value, logs, screen, Date.now()));
}

type TaskLogs = { task: Task; lines: LogLine[] };

const mostErrors = 20;

export function describeInstance(detail: InstanceDetail, logs: TaskLogs[], screen: Screen, nowMs: number): string {
  const payload = JSON.stringify(detail.payload ?? {});
  const facts = [
    ['created', `${detail.created.slice(0, 19).replace('T', ' ')} UTC${detail.periodic ? ', by its schedule' : ''}`],
    ['payload', payload === '{}' ? '' : payload],
    ['comment', detail.comment ?? ''],
    ['from', detail.relaunched_from ?? ''],
  ].flatMap(([name = '', value = '']) => (value === '' ? [] : [fit(`${name.padEnd(8)} ${printable(value)}`, screen)]));
  const graph = drawTasks(layOut(detail.tasks), detail.tasks, { screen, nowMs });
  return [
    ...headOf(detail, screen, nowMs),
    ...facts,
    '',
    ...graph,
    ...describeErrors(detail.tasks, screen),
    ...approvals(detail),
    ...logs.flatMap((each) => describeLogs(each, screen)),
  ].join('\n');
}

/** Uncut, unlike beside the graph. */
function describeErrors(tasks: Task[], screen: Screen): string[] {
  const failed = tasks.filter((task) => task.error);
  const lines = failed.slice(0, mostErrors).flatMap((task) => {
    const attempts = (task.attempt ?? 1) > 1 ? `attempt ${task.attempt}` : '';
    const where = [attempts, task.worker ? `on ${printable(task.worker)}` : ''].filter(Boolean).join(', ');
    const title = `${printable(task.key)}${where === '' ? '' : ` (${where})`}`;
    return ['', paint(screen, 'red', title), ...(task.error ? errorText(task.error) : []).map((line) => `  ${line}`)];
  });
  const left = failed.length - mostErrors;
  return left > 0 ? [...lines, '', `${formatCount(left)} more failed; --json has them all.`] : lines;
}

/** A stack most often begins with the message. */
function errorText({ message, stack }: { message: string; stack?: string | null }): string[] {
  const text = stack ? (stack.includes(message) ? stack : `${message}\n${stack}`) : message;
  return text.trimEnd().split('\n').map(printable);
}

function approvals({ id, tasks }: InstanceDetail): string[] {
  const waiting = tasks.filter(waitsForApproval);
  return waiting.flatMap(({ key }) => ['', `"faultline workflow approve ${id} ${printable(key)}" lets it go on.`]);
}

function describeLogs({ task, lines }: TaskLogs, screen: Screen): string[] {
  if (lines.length === 0) return [];
  return ['', paint(screen, 'bold', `Log of ${printable(task.key)}`), ...lines.map(describeLogLine)];
}

/** `02:08:00.123  the line`; from the second attempt on with its number. */
export function describeLogLine({ at, attempt, line }: LogLine): string {
  const number = (attempt ?? 1) > 1 ? `  #${attempt}` : '';
  return `${new Date(at).toISOString().slice(11, 23)}${number}  ${printable(line.replaceAll('\t', '  '))}`;
}
