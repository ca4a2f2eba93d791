import { useApi } from '../api/hooks.ts';
import { type Label, labelsUrl } from './graph-api.ts';

/** The team's labels, with how many nodes each has. */
export const useLabels = (teamId: string) => useApi<Label[]>(labelsUrl(teamId), { staleMs: 30_000 });

const seriesCount = 8;

/** A label's colour by its place among the team's labels, so that it is the same everywhere. After eight they come again, paler. */
export function colorOfLabel(labels: readonly string[], label: string): string {
  const place = Math.max(0, labels.indexOf(label));
  const color = `var(--series-${(place % seriesCount) + 1})`;
  return place < seriesCount ? color : `color-mix(in srgb, ${color} 55%, var(--surface))`;
}

export function useLabelColor(teamId: string): (label: string) => string {
  const names = useLabels(teamId).data?.map(({ name }) => name) ?? [];
  return (label) => colorOfLabel(names, label);
}

/** Server, Servers; Proxy, Proxies. Labels are names of sorts of things, in English more often than not. */
export function pluralOf(label: string, count: number): string {
  if (count === 1) return label;
  if (/[^aeiou]y$/.test(label)) return `${label.slice(0, -1)}ies`;
  return /(s|x|ch|sh)$/.test(label) ? `${label}es` : `${label}s`;
}
