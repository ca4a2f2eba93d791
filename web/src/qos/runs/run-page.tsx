import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { Badge } from '../../design/badge.tsx';
import { ButtonLink } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { Details } from '../../design/details.tsx';
import { formatDuration } from '../../design/duration.ts';
import { Loaded, Progress } from '../../design/states.tsx';
import { Table } from '../../design/table.tsx';
import { Time } from '../../design/time.tsx';
import { instancePath, qosPath } from '../../routing/paths.ts';
import { byLabel } from '../config/draft.ts';
import { formatWholeDay } from '../figures.ts';
import type { RunDetail } from '../qos-types.ts';
import { isOpen, progressOf, RunState } from './run-state.tsx';
import { TrialChanges } from './trial-changes.tsx';
import { useRun } from './use-run.ts';

/** One computation: how far it is, with which configuration, and of a trial what would change. */
export function RunPage({ teamId, runId }: { teamId: string; runId: string }) {
  const query = useRun(teamId, runId);
  return (
    <Loaded query={query}>
      {(run) => (
        <>
          <Card
            title={
              <span className="row">
                {formatWholeDay(run.day)} {run.dry_run && <Badge>dry run</Badge>}
              </span>
            }
            actions={
              <>
                {run.workflow && (
                  <ButtonLink isSmall icon="workflow" href={instancePath(run.workflow)}>
                    Workflow
                  </ButtonLink>
                )}
                <ButtonLink isSmall href={qosPath(teamId, '/runs')}>
                  All runs
                </ButtonLink>
              </>
            }
          >
            <div className="stack">
              {isOpen(run) && (
                <Progress
                  value={progressOf(run) ?? null}
                  label={`${run.progress.done} of ${run.progress.chunks} pieces`}
                />
              )}
              <Details items={detailsOf(run)} />
            </div>
          </Card>
          {run.changes && <TrialChanges teamId={teamId} day={run.day} changes={run.changes} />}
          <Card title="Computed with" isFlush>
            <Table
              label="Configuration of this run"
              rows={Object.entries(run.config).toSorted(byLabel)}
              keyOf={([label]) => label}
              columns={[
                {
                  head: 'Label',
                  isNarrow: true,
                  cell: ([label]) => <Link href={qosPath(teamId, `/labels/${label}`)}>{label}</Link>,
                },
                { head: 'Query', cell: ([, { qos }]) => <code className="wrap-anywhere">{qos}</code> },
              ]}
            />
          </Card>
        </>
      )}
    </Loaded>
  );
}

function detailsOf(run: RunDetail): (readonly [string, ReactNode])[] {
  return [
    ['State', <RunState key="state" state={run.state} />],
    [
      'Nodes',
      `${run.progress.nodes.toLocaleString()} in ${run.progress.done.toLocaleString()} of ${run.progress.chunks.toLocaleString()} pieces`,
    ],
    ['Started', <Time key="started" at={run.started_at} />],
    ['Took', run.finished_at && formatDuration(Date.parse(run.finished_at) - Date.parse(run.started_at))],
    ['Relationships', run.counts_whole_day ? 'count all day' : 'count while they are active'],
    ['Why', run.state === 'error' ? 'A task of its workflow failed; the workflow says which, and why.' : null],
  ];
}
