import type { Task } from './task.ts';

/** What `qos.compute` gives: the figure of each label in percent, null where nothing was known. */
type Computed = { day: string; nodes: number; labels: Record<string, number | null> };

export function WRITE_REPORT({ previous }: Task<Computed>): {
  title: string;
  message: string;
} {
  const { day, nodes, labels } = previous;
  const known = Object.entries(labels).flatMap(([label, value]) => (value === null ? [] : [{ label, value }]));
  const lines = known
    .toSorted((a, b) => a.value - b.value)
    .map(({ label, value }) => `${label}: ${value.toFixed(3)} %`);
  const unknown = Object.keys(labels).length - known.length;
  return {
    title: `Quality on ${day}`,
    message: [`${nodes} nodes, worst label first.`, ...lines, ...(unknown > 0 ? [`${unknown} unknown`] : [])].join(
      '\n',
    ),
  };
}
