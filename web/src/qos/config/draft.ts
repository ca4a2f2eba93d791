import type { TeamConfig } from '../qos-types.ts';

/** One line of the editor; an empty query: the label has no quality. */
export type DraftRow = { label: string; qos: string };

/** Every label of the graph and of the configuration, by name. */
export function toRows(config: TeamConfig, graphLabels: readonly string[]): DraftRow[] {
  const labels = [...new Set([...Object.keys(config), ...graphLabels])].toSorted();
  return labels.map((label) => ({ label, qos: (Object.hasOwn(config, label) && config[label]?.qos) || '' }));
}

export const toConfig = (rows: readonly DraftRow[]): TeamConfig =>
  Object.fromEntries(rows.filter(({ qos }) => qos.trim() !== '').map(({ label, qos }) => [label, { qos }]));

/** A configuration as text, or the sentence that says why it is none. */
export function readConfig(text: string): TeamConfig | string {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    return error instanceof Error ? `Not JSON yet: ${error.message}` : 'Not JSON yet';
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return 'It must be an object of labels.';
  const wrong = Object.entries(given).find(([, value]) => typeof value?.qos !== 'string');
  if (wrong) return `${wrong[0]} must be like {"qos": "rule.Name"}.`;
  return given as TeamConfig; // every value has just been looked at
}

export const printConfig = (config: TeamConfig): string =>
  JSON.stringify(Object.fromEntries(Object.entries(config).toSorted(byLabel)), null, 2);

/** The order in which people look for a label. */
export const byLabel = ([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number =>
  one < other ? -1 : 1;

const keyOf = (teamId: string): string => `faultline.qos-draft.${teamId}`;

/** A draft survives a look at another view, but not the end of the session. */
export const draftStore = {
  read(teamId: string): TeamConfig | undefined {
    const text = sessionStorage.getItem(keyOf(teamId));
    // Nobody but `write` puts anything there.
    return text === null ? undefined : (JSON.parse(text) as TeamConfig);
  },
  write: (teamId: string, config: TeamConfig): void => sessionStorage.setItem(keyOf(teamId), JSON.stringify(config)),
  drop: (teamId: string): void => sessionStorage.removeItem(keyOf(teamId)),
};
