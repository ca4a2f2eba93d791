import { useState } from 'react';
import type { InstanceDetail, InstanceTask } from '../../../src/workflows/workflows.schemas.ts';
import { Badge } from '../design/badge.tsx';
import { Button } from '../design/button.tsx';
import { formatDuration } from '../design/duration.ts';
import { Pager } from '../design/pager.tsx';
import { type Column, Table } from '../design/table.tsx';
import { useSearchState } from '../routing/search-state.ts';
import { durationOf } from './duration.ts';
import { groupElements } from './elements.ts';
import { shownStatus, toneOf } from './status.ts';
import { StatusBadge } from './status-badge.tsx';
import { StatusSelect } from './status-select.tsx';
import { type Bar, barsOf } from './time-line.ts';

const perPage = 100;

/** The tasks as rows on one time line. The elements of a foreach are rows when it is opened. */
export function TaskList({
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
  const [page, setPage] = useState(1);
  const [{ only }, change] = useSearchState({ only: '' });
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const elements = groupElements(instance.tasks);
  // With a status one looks for something: then all are rows, elements too.
  const rows = instance.tasks.filter((task) =>
    only === '' ? task.parent === null || open.has(task.parent) : shownStatus(task) === only,
  );
  const here = Math.min(page, Math.max(1, Math.ceil(rows.length / perPage)));
  const shown = rows.slice((here - 1) * perPage, here * perPage);
  const toggle = (id: string): void =>
    setOpen((all) => (all.has(id) ? new Set([...all].filter((one) => one !== id)) : new Set([...all, id])));
  const bars = barsOf(instance.tasks, now);
  const columns: Column<InstanceTask>[] = [
    {
      head: 'Task',
      cell: (task) => (
        <span className={task.parent === null ? 'task-name' : 'task-name task-element'}>
          <button type="button" className="link strong" onClick={() => onSelect(task.id)}>
            {task.key}
          </button>
          {task.is_hook && <Badge>hook</Badge>}
          {elements.has(task.id) && (
            <Button
              isSmall
              variant="ghost"
              icon={open.has(task.id) ? 'chevronDown' : 'chevronRight'}
              aria-expanded={open.has(task.id)}
              onClick={() => toggle(task.id)}
            >
              {elements.get(task.id)?.length} elements
            </Button>
          )}
        </span>
      ),
    },
    { head: 'Status', isNarrow: true, cell: (task) => <StatusBadge status={shownStatus(task)} /> },
    {
      head: 'Attempt',
      isNarrow: true,
      isNumber: true,
      cell: ({ attempt, started }) => (started === null ? '–' : attempt),
    },
    {
      head: 'Duration',
      isNarrow: true,
      isNumber: true,
      cell: (task) => {
        const ms = durationOf(task, now);
        return ms === undefined ? '–' : formatDuration(ms);
      },
    },
    { head: 'When', cell: (task) => <TimeBar bar={bars.get(task)} tone={toneOf(shownStatus(task))} /> },
  ];
  return (
    <>
      <div className="list-tools">
        <StatusSelect
          label="Status of tasks"
          tasks={instance.tasks}
          value={only}
          onValue={(status) => change({ only: status })}
        />
      </div>
      <Table
        label="Tasks"
        columns={columns}
        rows={shown}
        keyOf={({ id }) => id}
        onOpen={({ id }) => onSelect(id)}
        isSelected={({ id }) => id === selected}
      />
      {rows.length > perPage && <Pager page={here} perPage={perPage} total={rows.length} onPage={setPage} />}
    </>
  );
}

/** Says nothing that the columns beside it do not: start and length at a glance. */
function TimeBar({ bar, tone }: { bar: Bar | undefined; tone: string }) {
  return (
    <span className="time-bar" aria-hidden="true">
      {bar && (
        <span
          className={`run-${tone}`}
          style={{ marginInlineStart: `${bar.offset * 100}%`, width: `max(3px, ${bar.width * 100}%)` }}
        />
      )}
    </span>
  );
}
