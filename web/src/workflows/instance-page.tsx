import { useState } from 'react';
import { Link } from 'wouter';
import type { InstanceDetail, InstanceTask } from '../../../src/workflows/workflows.schemas.ts';
import type { Connection } from '../api/server-events.ts';
import { Card, PageHeader } from '../design/card.tsx';
import { ErrorState, Loaded } from '../design/states.tsx';
import { Segmented } from '../design/tabs.tsx';
import { useSearchState } from '../routing/search-state.ts';
import { definitionPath, instancesPath } from './addresses.ts';
import { Approvals } from './approvals.tsx';
import { maxDrawn } from './drawing.ts';
import { InstanceActions } from './instance-actions.tsx';
import { InstanceFacts } from './instance-facts.tsx';
import { JsonView } from './json-view.tsx';
import { StatusBadge } from './status-badge.tsx';
import { StatusCounts } from './status-counts.tsx';
import { TaskDrawing } from './task-drawing.tsx';
import { TaskList } from './task-list.tsx';
import { TaskPanel } from './task-panel.tsx';
import { useInstance } from './use-instance.ts';
import { useSecond } from './use-second.ts';

/** One instance, live. */
export function InstancePage({ id }: { id: string }) {
  const { query, connection, isOver } = useInstance(id);
  return (
    <div className="page">
      <p className="crumbs">
        <Link href={instancesPath}>Instances</Link>
        {query.data && (
          <>
            {' / '}
            <Link href={definitionPath(query.data.fullname)}>{query.data.fullname}</Link>
          </>
        )}
      </p>
      <Loaded query={query}>
        {(instance) => <Instance instance={instance} isOver={isOver} connection={connection} />}
      </Loaded>
    </div>
  );
}

function Instance({
  instance,
  isOver,
  connection,
}: {
  instance: InstanceDetail;
  isOver: boolean;
  connection: Connection;
}) {
  const [{ task: taskId, view }, change] = useSearchState({ task: '', view: '' });
  const now = useSecond(!isOver);
  const isDrawable = countTop(instance.tasks) <= maxDrawn;
  const shown = view === 'list' || !isDrawable ? 'list' : 'drawing';
  const selected = instance.tasks.find(({ id }) => id === taskId);
  const [isChosen, setIsChosen] = useState(false);
  const select = (id: string): void => {
    setIsChosen(true);
    change({ task: id === taskId ? '' : id });
  };
  return (
    <>
      <PageHeader
        title={
          <span className="row">
            {instance.fullname} <StatusBadge status={instance.status} />
          </span>
        }
        description={<code className="wrap-anywhere">{instance.id}</code>}
        actions={<InstanceActions instance={instance} isOver={isOver} />}
      />
      {instance.error && <ErrorState title="The instance failed" error={new Error(instance.error.message)} />}
      <Approvals instance={instance} />
      <InstanceFacts instance={instance} now={now} />
      <div className="stack">
        <Card
          title="Tasks"
          isFlush
          actions={
            <>
              {!isOver && <span className={`live live-${connection}`}>{liveWords[connection]}</span>}
              <StatusCounts tasks={instance.tasks} />
              {isDrawable && (
                <Segmented
                  label="Show as"
                  value={shown}
                  onValue={(next) => change({ view: next === 'list' ? 'list' : '' })}
                  options={[
                    ['drawing', 'Drawing'],
                    ['list', 'List'],
                  ]}
                />
              )}
            </>
          }
        >
          {shown === 'drawing' ? (
            <TaskDrawing instance={instance} now={now} selected={selected?.parent ?? taskId} onSelect={select} />
          ) : (
            <TaskList instance={instance} now={now} selected={taskId} onSelect={select} />
          )}
        </Card>
        {selected && (
          <TaskPanel
            key={selected.id}
            instance={instance}
            task={selected}
            now={now}
            isChosen={isChosen}
            onSelect={(id) => change({ task: id })}
            onClose={() => change({ task: '' })}
          />
        )}
      </div>
      <Card title="Payload">
        <JsonView label="Payload" value={instance.payload ?? {}} />
      </Card>
    </>
  );
}

const liveWords: Record<Connection, string> = {
  open: 'Live',
  connecting: 'Connecting…',
  lost: 'Not live; reload the page',
};

const countTop = (tasks: readonly InstanceTask[]): number =>
  tasks.reduce((count, { parent }) => count + (parent === null ? 1 : 0), 0);
