import { useEffect, useRef } from 'react';
import type { InstanceDetail, InstanceTask } from '../../../src/workflows/workflows.schemas.ts';
import { Badge } from '../design/badge.tsx';
import { Button, ButtonLink, IconButton } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { formatDuration } from '../design/duration.ts';
import { Progress } from '../design/states.tsx';
import { Time } from '../design/time.tsx';
import { instancePath } from '../routing/paths.ts';
import { durationOf } from './duration.ts';
import { Facts } from './facts.tsx';
import { ForeachElements } from './foreach-elements.tsx';
import { JsonView } from './json-view.tsx';
import { hasEnded, shownStatus } from './status.ts';
import { StatusBadge } from './status-badge.tsx';
import { TaskLog } from './task-log.tsx';

/** All there is to know about one task. */
export function TaskPanel({
  instance,
  task,
  now,
  isChosen,
  onSelect,
  onClose,
}: {
  instance: InstanceDetail;
  task: InstanceTask;
  now: number;
  /** Just now, on this page. */
  isChosen: boolean;
  onSelect: (id: string) => void;
  onClose: () => void;
}) {
  const elements = instance.tasks.filter(({ parent }) => parent === task.id);
  const parent = instance.tasks.find(({ id }) => id === task.parent);
  const box = useRef<HTMLDivElement>(null);
  // Whoever chose it wants to see it; whoever came by a link wants to see where they are.
  useEffect(() => {
    if (isChosen) box.current?.scrollIntoView({ block: 'nearest' });
  }, [isChosen]);
  return (
    <div className="panel-place">
      <div ref={box} className="panel-top" />
      <Card
        title={
          <span className="row">
            {task.key} <StatusBadge status={shownStatus(task)} />
            {task.is_hook && <Badge>hook</Badge>}
          </span>
        }
        actions={<IconButton isSmall icon="close" label="Close" onClick={onClose} />}
      >
        <div className="panel">
          <div className="stack">
            {parent && (
              <div>
                <Button isSmall icon="chevronLeft" onClick={() => onSelect(parent.id)}>
                  All elements of {parent.key}
                </Button>
              </div>
            )}
            {task.status === 'progress' && task.progress !== null && (
              <Progress label="Progress" value={task.progress} />
            )}
            {task.error && <TaskError error={task.error} isOfFormer={!hasEnded(task.status)} />}
            <TaskFacts task={task} now={now} />
            {task.child !== null && (
              <div>
                <ButtonLink isSmall icon="workflow" href={instancePath(task.child)}>
                  The instance that it started
                </ButtonLink>
              </div>
            )}
            {task.status === 'success' && !task.is_skipped && (
              <section className="stack">
                <h3>Result</h3>
                <JsonView label="Result" value={task.result} />
              </section>
            )}
          </div>
          {elements.length > 0 && <ForeachElements elements={elements} now={now} onSelect={onSelect} />}
          {task.started !== null && elements.length === 0 && (
            <section className="stack">
              <h3>Log</h3>
              <TaskLog instanceId={instance.id} taskId={task.id} />
            </section>
          )}
        </div>
      </Card>
    </div>
  );
}

function TaskFacts({ task, now }: { task: InstanceTask; now: number }) {
  const { key, run, queue, attempt, started, finished, worker, message } = task;
  const duration = durationOf(task, now);
  const isOwn = run !== 'approval' && run !== 'workflow';
  return (
    <Facts
      facts={[
        message !== null && ['Asks', message],
        run !== key && isOwn && ['Runs', <code key="run">{run}</code>],
        started !== null && ['Started', <Time key="started" at={started} format="full" />],
        finished !== null && ['Finished', <Time key="finished" at={finished} format="full" />],
        duration !== undefined && ['Duration', formatDuration(duration)],
        started !== null && ['Attempt', String(attempt)],
        !queue.startsWith('~') && ['Queue', queue],
        worker !== null && !worker.startsWith('~') && ['Worker', worker],
      ]}
    />
  );
}

function TaskError({ error, isOfFormer }: { error: NonNullable<InstanceTask['error']>; isOfFormer: boolean }) {
  return (
    <div className="problem">
      <h3>{isOfFormer ? 'Error of the attempt before' : 'Error'}</h3>
      <p className="wrap-anywhere">{error.message}</p>
      {error.stack && (
        <details>
          <summary className="small">Where it happened</summary>
          <pre className="stack-trace">{error.stack}</pre>
        </details>
      )}
    </div>
  );
}
