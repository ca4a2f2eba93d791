import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { withQuery } from '../../api/client.ts';
import { useApi } from '../../api/hooks.ts';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { formatDuration } from '../../design/duration.ts';
import { TextField } from '../../design/field.tsx';
import { EmptyState, Loaded, Progress } from '../../design/states.tsx';
import { Table } from '../../design/table.tsx';
import { Time } from '../../design/time.tsx';
import { instancePath, qosPath } from '../../routing/paths.ts';
import { useSearchState } from '../../routing/search-state.ts';
import { formatWholeDay } from '../figures.ts';
import type { Run } from '../qos-types.ts';
import { useRights } from '../use-rights.ts';
import { ComputeDialog } from './compute-dialog.tsx';
import { isOpen, progressOf, RunState } from './run-state.tsx';

const shown = 50;

/** What was computed when, and how it is getting on. */
export function Runs({ teamId }: { teamId: string }) {
  const [{ day, limit }, change] = useSearchState({ day: '', limit: String(shown) });
  const [isComputing, setIsComputing] = useState(false);
  const { mayEdit } = useRights();
  const [, navigate] = useLocation();
  const path = withQuery(`/v1/teams/${teamId}/qos/runs`, { day, limit });
  const [refreshMs, setRefreshMs] = useState<number>();
  const runs = useApi<{ runs: Run[] }>(path, { keepPrevious: true, refreshMs: refreshMs ?? 15_000 });
  const wanted = runs.data?.runs.some(isOpen) ? 1000 : undefined;
  if (wanted !== refreshMs) setRefreshMs(wanted);
  return (
    <>
      <Card
        title="Computations"
        isFlush
        actions={
          <>
            <div className="filter-day">
              <TextField
                label="Only this day"
                isLabelUnseen
                type="date"
                value={day}
                onValue={(next) => change({ day: next })}
              />
            </div>
            {mayEdit && (
              <Button variant="primary" icon="play" onClick={() => setIsComputing(true)}>
                Compute
              </Button>
            )}
          </>
        }
      >
        <Loaded query={runs}>
          {({ runs: list }) =>
            list.length === 0 ? (
              <EmptyState icon="quality" title={day === '' ? 'Nothing was computed yet' : 'This day was not computed'}>
                Each night computes the day before. Any day, or several, can be computed by hand as well.
              </EmptyState>
            ) : (
              <>
                <Table
                  label="Computations"
                  rows={list}
                  keyOf={({ id }) => id}
                  onOpen={({ id }) => navigate(qosPath(teamId, `/runs/${id}`))}
                  columns={[
                    {
                      head: 'Day',
                      cell: (run) => (
                        <span className="row">
                          <Link href={qosPath(teamId, `/runs/${run.id}`)}>{formatWholeDay(run.day)}</Link>
                          {run.dry_run && <Badge>dry run</Badge>}
                        </span>
                      ),
                    },
                    { head: 'State', isNarrow: true, cell: (run) => <StateCell run={run} /> },
                    { head: 'Nodes', isNumber: true, cell: ({ progress }) => progress.nodes.toLocaleString() },
                    { head: 'Labels', isNumber: true, cell: ({ labels }) => labels.length },
                    {
                      head: 'Started',
                      isNarrow: true,
                      cell: ({ started_at: at }) => <Time at={at} format="relative" />,
                    },
                    { head: 'Took', isNarrow: true, isNumber: true, cell: durationOf },
                    {
                      head: 'Workflow',
                      isNarrow: true,
                      cell: ({ workflow }) => workflow && <Link href={instancePath(workflow)}>workflow</Link>,
                    },
                  ]}
                />
                {list.length >= Number(limit) && (
                  <p className="more-rows">
                    <Button isSmall onClick={() => change({ limit: String(Number(limit) + shown) })}>
                      Show more
                    </Button>
                  </p>
                )}
              </>
            )
          }
        </Loaded>
      </Card>
      {isComputing && <ComputeDialog teamId={teamId} day={day} onClose={() => setIsComputing(false)} />}
    </>
  );
}

function StateCell({ run }: { run: Run }) {
  return isOpen(run) ? (
    <Progress value={progressOf(run) ?? null} label={run.state === 'pending' ? 'waiting' : 'computing'} />
  ) : (
    <RunState state={run.state} />
  );
}

const durationOf = ({ started_at: from, finished_at: to }: Run): string =>
  to === null ? '' : formatDuration(Date.parse(to) - Date.parse(from));
