import type { z } from 'zod';
import type { ExplainedNode, history, runDetail, statistics, worstNodes } from '../qos/qos.schemas.ts';
import { describeList } from './output.ts';
import { printable } from './table.ts';

type History = z.infer<typeof history>;
type Statistics = z.infer<typeof statistics>;
type Worst = z.infer<typeof worstNodes>;
type Run = z.infer<typeof runDetail>;

/** Three decimals, so that columns of figures stand below each other; what is not known says so. */
export const percent = (value: number | null): string => (value === null ? 'unknown' : value.toFixed(3));

export function describeStatistics({ labels, start, end }: Statistics): string {
  const columns = [
    { title: 'LABEL', value: (row: Statistics['labels'][number]) => row.label },
    { title: 'NODES', value: (row: Statistics['labels'][number]) => String(row.nodes_count) },
    { title: 'NEWEST DAY', value: ({ latest }: Statistics['labels'][number]) => latest?.day ?? '-' },
    { title: '%', value: ({ latest }: Statistics['labels'][number]) => (latest ? percent(latest.value) : '-') },
    { title: 'MEAN', value: (row: Statistics['labels'][number]) => (row.days > 0 ? percent(row.average) : '-') },
    { title: 'LOWEST', value: (row: Statistics['labels'][number]) => (row.days > 0 ? percent(row.minimum) : '-') },
    { title: 'QUERY', value: (row: Statistics['labels'][number]) => row.qos_query ?? '-' },
  ];
  return `${start} to ${end}\n${describeList(columns, labels, 'No labels.')}`;
}

export function describeHistory({ label, name, data, start, end }: History): string {
  const subject = name === undefined ? label : `${label} ${printable(name)}`;
  const columns = [
    { title: 'DAY', value: (row: History['data'][number]) => row.day },
    { title: '%', value: (row: History['data'][number]) => percent(row.value) },
    { title: 'COVERAGE', value: (row: History['data'][number]) => `${row.coverage.toFixed(1)} %` },
    ...(name === undefined
      ? [
          { title: 'NODES', value: (row: History['data'][number]) => String(row.nodes ?? 0) },
          { title: 'UNKNOWN', value: (row: History['data'][number]) => String(row.unknown_nodes ?? 0) },
        ]
      : []),
  ];
  return describeList(columns, data, `${subject} has no figures from ${start} to ${end}.`);
}

export function describeWorst({ label, day, data }: Worst): string {
  const columns = [
    { title: 'NODE', value: (row: Worst['data'][number]) => row.name },
    { title: '%', value: (row: Worst['data'][number]) => percent(row.value) },
    { title: 'COVERAGE', value: (row: Worst['data'][number]) => `${row.coverage.toFixed(1)} %` },
  ];
  return describeList(columns, data, `${label} has no figures${day === null ? '' : ` on ${day}`}.`);
}

/**
 *   Web w  99.931 %  operation.AND[Api]
 *   └─ Api a  99.931 %  cost 1m 0s  operation.AND[Disk]
 *      └─ Disk d1  99.931 %  cost 1m 0s  rule.Up
 *         └─ check ping  99.931 %  cost 1m 0s  10:00:00–10:01:00
 */
export function describeExplanation(node: ExplainedNode): string {
  return [headOf(node), ...below(node, '')].join('\n');
}

type Line = { text: string; children?: (prefix: string) => string[] };

function below(node: ExplainedNode, prefix: string): string[] {
  const lines: Line[] = [
    ...(node.checks ?? []).map((check) => ({
      text: [
        `check ${printable(check.check)}  ${percent(check.value)} %`,
        ...costOf(check),
        ...(check.failure === null ? [] : [printable(check.failure)]),
        ...(check.failure === null && check.points === 0 ? ['no points'] : []),
      ].join('  '),
    })),
    ...(node.dependencies ?? []).map((one) => ({
      text: headOf(one, costOf(one)),
      children: (inner: string) => below(one, inner),
    })),
  ];
  if (node.dependencies_left_out) lines.push({ text: `and ${node.dependencies_left_out} more` });
  if (node.is_cut) lines.push({ text: '… (more with --depth)' });
  return lines.flatMap(({ text, children }, index) => {
    const isLast = index === lines.length - 1;
    const inner = `${prefix}${isLast ? '   ' : '│  '}`;
    return [`${prefix}${isLast ? '└─' : '├─'} ${text}`, ...(children?.(inner) ?? [])];
  });
}

const headOf = (node: ExplainedNode, cost: string[] = []): string =>
  [
    `${node.label} ${printable(node.name)}  ${percent(node.value)} %`,
    ...cost,
    ...(node.query ? [node.query] : []),
  ].join('  ');

const shownSpans = 3;

function costOf({
  cost_seconds: seconds,
  spans,
  spans_left_out: more,
}: Pick<ExplainedNode, 'cost_seconds' | 'spans' | 'spans_left_out'>): string[] {
  if (seconds === 0) return [];
  const times = spans.slice(0, shownSpans).map(([from, to]) => `${clock(from)}–${clock(to)}`);
  const hidden = spans.length - times.length + more;
  return [`cost ${duration(seconds)}`, [...times, ...(hidden > 0 ? [`+${hidden}`] : [])].join(' ')].filter(Boolean);
}

const clock = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(11, 19);

export function duration(seconds: number): string {
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60];
  return [hours > 0 ? `${hours}h` : '', hours > 0 || minutes > 0 ? `${minutes}m` : '', `${rest}s`]
    .filter(Boolean)
    .join(' ');
}

export function describeRun({ day, state, progress, workflow }: Run): string {
  const share = progress.chunks === 0 ? '' : `  ${progress.done}/${progress.chunks} chunks, ${progress.nodes} nodes`;
  return `${day}  ${state}${share}${state === 'error' && workflow !== null ? `  (instance ${workflow})` : ''}`;
}

/** What a trial would change. */
export function describeChanges({ changes }: Run): string {
  if (!changes) return '';
  type Label = NonNullable<Run['changes']>['labels'][number];
  type Node = NonNullable<Run['changes']>['nodes'][number];
  const labels = describeList<Label>(
    [
      { title: 'LABEL', value: (row) => row.label },
      { title: 'BEFORE', value: (row) => percent(row.before) },
      { title: 'AFTER', value: (row) => percent(row.after) },
      { title: 'BY', value: difference },
      { title: 'NODES CHANGED', value: (row) => String(row.nodes_changed) },
    ],
    changes.labels,
    'Nothing was computed.',
  );
  if (changes.nodes.length === 0) return labels;
  const nodes = describeList<Node>(
    [
      { title: 'LABEL', value: (row) => row.label },
      { title: 'NODE', value: (row) => row.name },
      { title: 'BEFORE', value: (row) => percent(row.before) },
      { title: 'AFTER', value: (row) => percent(row.after) },
      { title: 'BY', value: difference },
    ],
    changes.nodes,
    '',
  );
  return `${labels}\n\nChanged most:\n${nodes}`;
}

function difference({ before, after }: { before: number | null; after: number | null }): string {
  if (before === null || after === null) return '-';
  return `${after > before ? '+' : ''}${(after - before).toFixed(3)}`;
}
