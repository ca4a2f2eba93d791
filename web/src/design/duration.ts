/** `420 ms`, `3.2 s`, `4 min 5 s`, `2 h 3 min`, `3 d 4 h`: two units at most, so that columns can be compared at a glance. */
export function formatDuration(ms: number): string {
  if (ms < 0 || Number.isNaN(ms)) return '0 ms';
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return twoUnits(Math.floor(seconds / 60), 'min', seconds % 60, 's');
  const minutes = Math.round(seconds / 60);
  if (minutes < 1440) return twoUnits(Math.floor(minutes / 60), 'h', minutes % 60, 'min');
  const hours = Math.round(minutes / 60);
  return twoUnits(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

const twoUnits = (large: number, largeUnit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;

/** For what somebody wrote down, such as a time-out: `30 s`, not `30.0 s`. */
export const formatSeconds = (seconds: number): string => formatDuration(seconds * 1000).replace('.0 s', ' s');
