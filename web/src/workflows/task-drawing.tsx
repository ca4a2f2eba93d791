import { useMemo } from 'react';
import type { InstanceDetail, InstanceTask } from '../../../src/workflows/workflows.schemas.ts';
import { formatDuration } from '../design/duration.ts';
import { Icon, type IconName } from '../design/icon.tsx';
import { drawingOfTasks } from './drawing.ts';
import { type Box, DrawingView } from './drawing-view.tsx';
import { durationOf } from './duration.ts';
import { groupElements } from './elements.ts';
import { HookStrip } from './hook-strip.tsx';
import { labelOf, shownStatus, toneOf } from './status.ts';

/** The tasks of an instance as a picture, with what became of each so far. */
export function TaskDrawing({
  instance,
  now,
  selected,
  onSelect,
}: {
  instance: InstanceDetail;
  now: number;
  selected: string;
  onSelect: (id: string) => void;
}) {
  const { tasks } = instance;
  const drawing = useMemo(() => drawingOfTasks(tasks), [tasks]);
  const byId = useMemo(() => new Map(tasks.map((task) => [task.id, task])), [tasks]);
  const elements = useMemo(() => groupElements(tasks), [tasks]);
  const boxOf = (id: string): Box | undefined => {
    const task = byId.get(id);
    return task && boxOfTask(task, elements.get(id), now);
  };
  return (
    <>
      <DrawingView
        label={`Drawing of ${instance.fullname}`}
        drawing={drawing}
        boxOf={boxOf}
        selected={selected}
        onSelect={onSelect}
      />
      <HookStrip tasks={tasks} selected={selected} onSelect={onSelect} />
    </>
  );
}

function boxOfTask(task: InstanceTask, elements: readonly InstanceTask[] | undefined, now: number): Box {
  const status = shownStatus(task);
  const duration = status === 'skipped' || status === 'asks' ? undefined : durationOf(task, now);
  const done = elements?.filter((one) => one.status === 'success').length;
  const words = [
    elements ? `${done} of ${elements.length}` : labelOf(status),
    duration !== undefined && formatDuration(duration),
    task.attempt > 1 && `try ${task.attempt}`,
  ];
  const icon = iconOf(task, elements);
  return {
    title: task.key,
    note: words.filter(Boolean).join(' · '),
    tone: toneOf(status),
    isRunning: status === 'progress',
    isStack: elements !== undefined,
    ...(icon && { icon: <Icon name={icon} /> }),
    progress: progressOf(task, elements),
  };
}

function progressOf(task: InstanceTask, elements: readonly InstanceTask[] | undefined): number | null {
  if (task.status !== 'progress') return null;
  if (!elements) return task.progress;
  const sum = elements.reduce((total, { status, progress }) => total + (status === 'success' ? 1 : (progress ?? 0)), 0);
  return elements.length === 0 ? null : sum / elements.length;
}

function iconOf({ run }: InstanceTask, elements: readonly InstanceTask[] | undefined): IconName | undefined {
  if (elements) return 'copy';
  if (run === 'approval') return 'user';
  return run === 'workflow' ? 'workflow' : undefined;
}
