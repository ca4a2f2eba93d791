import type { InstanceStatus, InstanceTask } from '../../../src/workflows/workflows.schemas.ts';

/** What is shown of a task: two states that the interface tells apart by other fields have names of their own here. */
export type ShownStatus = InstanceStatus | 'skipped' | 'asks';
export type Tone = 'quiet' | 'accent' | 'good' | 'warn' | 'bad';

const words: Record<ShownStatus, { label: string; tone: Tone }> = {
  pending: { label: 'Pending', tone: 'quiet' },
  progress: { label: 'Running', tone: 'accent' },
  success: { label: 'Succeeded', tone: 'good' },
  error: { label: 'Failed', tone: 'bad' },
  canceled: { label: 'Canceled', tone: 'quiet' },
  skipped: { label: 'Skipped', tone: 'quiet' },
  asks: { label: 'Waits for approval', tone: 'warn' },
};

export const labelOf = (status: ShownStatus): string => words[status].label;
export const toneOf = (status: ShownStatus): Tone => words[status].tone;

export function shownStatus(task: Pick<InstanceTask, 'status' | 'is_skipped' | 'run'>): ShownStatus {
  if (task.is_skipped) return 'skipped';
  if (task.run === 'approval' && task.status === 'progress') return 'asks';
  return task.status;
}

export const hasEnded = (status: InstanceStatus): boolean => status !== 'pending' && status !== 'progress';

/** Of the elements of a foreach, or of a whole instance. */
export function countStatuses(tasks: readonly Pick<InstanceTask, 'status' | 'is_skipped' | 'run'>[]) {
  const counts = new Map<ShownStatus, number>();
  for (const task of tasks) {
    const status = shownStatus(task);
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  return counts;
}
