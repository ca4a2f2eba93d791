import { Badge, type Tone } from '../../design/badge.tsx';
import type { Run } from '../qos-types.ts';

const tones: Record<Run['state'], Tone> = {
  pending: 'quiet',
  progress: 'accent',
  success: 'good',
  error: 'bad',
  canceled: 'quiet',
};

export const RunState = ({ state }: { state: Run['state'] }) => (
  <Badge tone={tones[state]} dot>
    {state}
  </Badge>
);

export const isOpen = ({ state }: Run): boolean => state === 'pending' || state === 'progress';

/** From 0 to 1; undefined while the work is not cut into pieces yet. */
export const progressOf = ({ progress: { chunks, done } }: Run): number | undefined =>
  chunks === 0 ? undefined : done / chunks;
