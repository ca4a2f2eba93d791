import type { Screen } from './impact-text.ts';
import { formatCount } from './import-progress.ts';
import { printable } from './table.ts';
import { type Instance, type InstanceDetail, isFinal, type Task } from './workflow-answers.ts';
import { describeDuration, fit, marks, paint, paintStatus, wordOf } from './workflow-draw.ts';
import type { Change } from './workflow-state.ts';

/** The line on top: which, how it is, how far. */
export function headOf(state: InstanceDetail, screen: Screen, nowMs: number): string[] {
  const tasks = state.tasks.filter((task) => !task.is_hook);
  const done = tasks.filter((task) => isFinal(task.status)).length;
  const name = printable(state.fullname);
  const status = `${marks[state.status]} ${wordOf(state.status)}`;
  const facts = [
    describeDuration(state, nowMs),
    `${formatCount(done)} of ${formatCount(tasks.length)} ${tasks.length === 1 ? 'task' : 'tasks'}`,
    state.id,
  ].filter((fact) => fact !== '');
  const plain = `${name}  ${status}  ${facts.join('  ')}`;
  const line = fit(plain, screen);
  // Cut lines are not coloured: the cut might go through what is.
  if (line !== plain) return [line];
  const rest = paint(screen, 'dim', facts.join('  '));
  return [`${paint(screen, 'bold', name)}  ${paintStatus(screen, state.status, status)}  ${rest}`];
}

/** For a log: when, what, how. */
export function describeChange(state: InstanceDetail, change: Change): string {
  const time = new Date(change.at).toISOString().slice(11, 23);
  if (change.kind === 'custom')
    return `${time}  ${printable(change.type)}  ${printable(JSON.stringify(change.data ?? null))}`;
  if (change.kind === 'instance')
    return `${time}  ${marks[change.status]} ${printable(state.fullname)}  ${wordOf(change.status)}`;
  const { task } = change;
  const facts = [
    wordOf(task.status),
    (task.attempt ?? 1) > 1 ? `attempt ${task.attempt}` : '',
    isFinal(task.status) ? describeDuration(task, 0) : '',
    task.status === 'error' ? printable(task.error?.message ?? '') : '',
  ].filter((fact) => fact !== '');
  return `${time}  ${marks[task.status]} ${printable(task.key)}  ${facts.join('  ')}`;
}

/** One sentence on how it ended, and why. */
export function describeEnd(state: InstanceDetail): string {
  const took = describeDuration(state, 0);
  const name = `${printable(state.fullname)} (${state.id})`;
  const time = took === '' ? '' : ` after ${took}`;
  if (state.status === 'success') return `${name} succeeded${time}.`;
  if (state.status === 'canceled') return `${name} was canceled${time}.`;
  const failed = state.tasks.filter((task) => task.status === 'error' && !task.is_hook);
  const [first, ...others] = failed;
  const more = others.length === 0 ? '' : `, and ${formatCount(others.length)} more failed`;
  const itself = state.error ? `: ${firstLine(state.error.message).replace(/\.$/, '')}` : '';
  const reason = first ? `: ${printable(first.key)} failed${messageOf(first)}${more}` : itself;
  return `${name} ended with an error${time}${reason}.`;
}

const messageOf = ({ error }: Task): string => (error ? ` with "${firstLine(error.message)}"` : '');

const firstLine = (text: string): string => printable(text.split('\n', 1)[0] ?? '');

/** After a command that changes or starts something: what there is now, and how to look at it. */
export const describeStarted = (verb: string, { fullname, id }: Pick<Instance, 'fullname' | 'id'>): string =>
  `${verb} ${printable(fullname)}: ${id}\n"faultline workflow watch ${id}" shows how it goes.`;
