import { styleText } from 'node:util';
import { type Screen, truncate } from './impact-text.ts';
import { formatCount, formatSpan } from './import-progress.ts';
import { displayWidth, printable } from './table.ts';
import { type Status, type Task, waitsForApproval } from './workflow-answers.ts';
import { drawLanes, type LaneRow } from './workflow-lanes.ts';
import { type GraphNode, layersOf, nodesOf } from './workflow-nodes.ts';

export const marks: Record<Status, string> = { pending: '○', progress: '◐', success: '●', error: '✗', canceled: '⊘' };
/** For people; what is in progress runs. */
export const wordOf = (status: Status): string => (status === 'progress' ? 'running' : status);
const colours = { pending: 'dim', progress: 'yellow', success: 'green', error: 'red', canceled: 'dim' } as const;

/** A graph that needs more is drawn as a list with its layers set in: lanes take two columns each. */
const mostLanes = 20;
const widestTitle = 40;

/** Which line shows what, for as long as the same tasks are there; who they are changes less often than how they are. */
export type Layout = { rows: LaneRow[]; width: number; titleWidth: number };

export function layOut(tasks: Task[]): Layout {
  const nodes = nodesOf(tasks.filter((task) => !task.is_hook));
  const hooks = tasks.filter((task) => task.is_hook).map(nodeOfHook);
  const { rows, width } = drawLanes(nodes, mostLanes) ?? setIn(nodes);
  const titleWidth = [...nodes, ...hooks].reduce((most, node) => Math.max(most, displayWidth(titleOf(node))), 0);
  const hookRows: LaneRow[] = hooks.map((node) => ({ node, before: '', after: '' }));
  const below = hooks.length > 0 ? [{ edges: '' }, { edges: 'Hooks' }, ...hookRows] : [];
  return { rows: [...rows, ...below], width, titleWidth: Math.min(widestTitle, titleWidth) };
}

export type TasksOnScreen = {
  screen: Screen;
  /** For what is still running. */
  nowMs: number;
  /** Lines that there is room for: of more, those around what runs are drawn. All unless told. */
  height?: number;
};

/** The graph, a line each. */
export function drawTasks(layout: Layout, tasks: Task[], { screen, nowMs, height }: TasksOnScreen): string[] {
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const membersOf = (node: GraphNode): Task[] => node.taskIds.flatMap((id) => byId.get(id) ?? []);
  const draw = (row: LaneRow): string => {
    if ('edges' in row) return paint(screen, 'dim', fit(row.edges, screen));
    const after = row.after.padEnd(layout.width - displayWidth(row.before) - 1);
    const owner = byId.get(row.node.ownerId ?? '');
    return drawNode({ ...row, after }, { tasks: membersOf(row.node), owner }, layout.titleWidth, screen, nowMs);
  };
  if (height === undefined || layout.rows.length <= height) return layout.rows.map(draw);
  const isRunning = (row: LaneRow) => 'node' in row && membersOf(row.node).some((task) => task.status === 'progress');
  const { start, end } = around(layout.rows.length, Math.max(1, height - 2), layout.rows.findIndex(isRunning));
  const below = layout.rows.length - end;
  return [
    start > 0 ? `… ${start} more above` : '',
    ...layout.rows.slice(start, end).map(draw),
    below > 0 ? `… ${below} more below` : '',
  ];
}

/** So many of all, with the one in focus as near to the middle as the ends allow. */
function around(all: number, room: number, focus: number): { start: number; end: number } {
  const start = Math.max(0, Math.min(all - room, focus - Math.floor(room / 2)));
  return { start, end: start + room };
}

/** What a summary of many tasks, or of one, is called. */
export function statusOf(tasks: Task[]): Status {
  const has = (status: Status) => tasks.some((task) => task.status === status);
  if (has('error')) return 'error';
  if (has('progress') || (has('pending') && has('success'))) return 'progress';
  if (has('pending')) return 'pending';
  return has('canceled') ? 'canceled' : 'success';
}

/** `830 success, 10 running, 160 pending`. */
export function countByStatus(tasks: Task[]): string {
  return countingOrder
    .map((status) => ({ status, count: tasks.filter((task) => task.status === status).length }))
    .flatMap(({ status, count }) => (count > 0 ? [`${formatCount(count)} ${wordOf(status)}`] : []))
    .join(', ');
}
const countingOrder: Status[] = ['success', 'error', 'canceled', 'progress', 'pending'];

/** 340 ms, 2.5 s, 42 s, 3:05. */
export function describeSpan(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 9950) return `${(ms / 1000).toFixed(1)} s`;
  return ms < 59_500 ? `${Math.round(ms / 1000)} s` : formatSpan(Math.floor(ms / 1000));
}

/** From start to end, or until now, whole seconds then: tenths that run by distract. Empty where it has not begun. */
export function describeDuration(
  { started, finished }: { started?: string | null; finished?: string | null },
  nowMs: number,
): string {
  if (!started) return '';
  if (finished) return describeSpan(Date.parse(finished) - Date.parse(started));
  const seconds = Math.max(0, Math.floor((nowMs - Date.parse(started)) / 1000));
  return seconds < 60 ? `${seconds} s` : formatSpan(seconds);
}

export const paint = (
  { isStyled }: Screen,
  format: 'dim' | 'bold' | 'yellow' | 'green' | 'red',
  text: string,
): string => (isStyled && text !== '' ? styleText(format, text, { validateStream: false }) : text);

export const paintStatus = (screen: Screen, status: Status, text: string): string =>
  paint(screen, colours[status], text);

/** What a terminal must not obey is replaced, and what does not fit is cut. */
export const fit = (text: string, { width }: Screen): string =>
  width === undefined ? text : truncate(text, Math.max(1, width));

function drawNode(
  { node, before, after }: { node: GraphNode; before: string; after: string },
  { tasks, owner }: { tasks: Task[]; owner: Task | undefined },
  titleWidth: number,
  screen: Screen,
  nowMs: number,
): string {
  const status = owner?.status ?? statusOf(tasks);
  const title = truncate(titleOf(node), titleWidth);
  const padding = ' '.repeat(titleWidth - displayWidth(title));
  const [only] = tasks;
  const took = owner ? [describeDuration(owner, nowMs).padStart(6)] : [];
  const facts = tasks.length === 1 && only ? factsOf(only, nowMs) : [...took, countByStatus(tasks)];
  const start = displayWidth(before) + 1 + displayWidth(after) + 1;
  const rest = fit(`${title}${padding}  ${facts.join('  ')}`.trimEnd(), {
    ...screen,
    width: screen.width === undefined ? undefined : screen.width - start,
  });
  return [
    paint(screen, 'dim', before),
    paintStatus(screen, status, marks[status]),
    paint(screen, 'dim', after),
    ' ',
    status === 'canceled' || status === 'pending' ? paint(screen, 'dim', rest) : rest,
  ].join('');
}

function factsOf(task: Task, nowMs: number): string[] {
  const { status, attempt, progress } = task;
  const facts = [
    status === 'pending' ? '' : describeDuration(task, nowMs).padStart(6),
    (attempt ?? 1) > 1 ? `attempt ${attempt}` : '',
    status === 'progress' && progress !== null && progress !== undefined ? `${Math.floor(progress * 100)} %` : '',
    task.is_skipped ? 'skipped' : '',
    waitsForApproval(task) ? 'waits for approval' : '',
    status === 'error' || (status === 'pending' && task.error) ? firstLine(task.error?.message ?? '') : '',
  ];
  return facts.filter((fact) => fact.trim() !== '');
}

const firstLine = (text: string): string => printable(text.split('\n', 1)[0] ?? '');

function titleOf({ title, taskIds }: GraphNode): string {
  const count = taskIds.length > 1 ? ` ×${formatCount(taskIds.length)}` : '';
  return `${printable(title)}${count}`;
}

const nodeOfHook = (hook: Task): GraphNode => ({ id: hook.id, taskIds: [hook.id], title: hook.key, previous: [] });

/** Too wide for lanes: each node set in by its layer. */
function setIn(nodes: GraphNode[]): { rows: LaneRow[]; width: number } {
  const layers = layersOf(nodes);
  const indentOf = (node: GraphNode) => '  '.repeat(Math.min(10, layers.get(node.id) ?? 0));
  const visible = nodes.filter((node) => node.taskIds.length > 0);
  const rows = visible.map((node) => ({ node, before: indentOf(node), after: '' }));
  return { rows, width: 1 + Math.max(0, ...rows.map((row) => row.before.length)) };
}
