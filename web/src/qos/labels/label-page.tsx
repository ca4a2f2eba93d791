import { useState } from 'react';
import { withQuery } from '../../api/client.ts';
import { useApi } from '../../api/hooks.ts';
import { Button, ButtonLink } from '../../design/button.tsx';
import { Card, Figure } from '../../design/card.tsx';
import { Icon } from '../../design/icon.tsx';
import { EmptyState, Loaded } from '../../design/states.tsx';
import { Segmented } from '../../design/tabs.tsx';
import { explorerPath, qosPath } from '../../routing/paths.ts';
import { useSearchState } from '../../routing/search-state.ts';
import { BudgetBar } from '../budget-bar.tsx';
import { DayChart } from '../day-chart.tsx';
import { daysUpTo, formatPercent, formatWholeDay, meanOf } from '../figures.ts';
import { Percent } from '../percent.tsx';
import type { History, Objective } from '../qos-types.ts';
import { ComputeDialog } from '../runs/compute-dialog.tsx';
import { useRights } from '../use-rights.ts';
import { useToday } from '../use-today.ts';
import { WorstNodesList } from './worst-nodes.tsx';

const ranges = [
  ['30', '30 days'],
  ['90', '90 days'],
] as const;
type Range = (typeof ranges)[number][0];

/** One label: its figures day by day, and of a chosen day the nodes that did worst. */
export function LabelPage({ teamId, label }: { teamId: string; label: string }) {
  const [{ day, range }, change] = useSearchState<{ day: string; range: string }>({ day: '', range: '30' });
  const [isComputing, setIsComputing] = useState(false);
  const { mayEdit } = useRights();
  const days = daysUpTo(useToday(), range === '90' ? 90 : 30);
  const path = withQuery(`/v1/teams/${teamId}/qos`, { label, start: days[0], end: days.at(-1) });
  const history = useApi<History>(path, { keepPrevious: true, refreshMs: 60_000 });
  const objectives = useApi<{ objectives: Objective[] }>(`/v1/teams/${teamId}/qos/objectives`);
  const objective = objectives.data?.objectives.find((one) => one.label === label);
  return (
    <>
      <Loaded query={history}>
        {({ data }) => {
          const byDay = new Map(data.map((one) => [one.day, one]));
          const newest = data.findLast(({ value }) => value !== null) ?? data.at(-1);
          const chosen = day === '' ? newest?.day : day;
          const mean = meanOf(data.map(({ value }) => value));
          return (
            <>
              <Card
                title={label}
                actions={
                  <>
                    <Segmented
                      label="Range"
                      value={range as Range} // of two
                      options={ranges}
                      onValue={(next) => change({ range: next })}
                    />
                    <a
                      className="button button-secondary button-small"
                      href={withQuery(path, { format: 'csv' })}
                      download={`${label}.csv`}
                    >
                      <Icon name="download" />
                      CSV
                    </a>
                    <ButtonLink isSmall icon="graph" href={withQuery(explorerPath(teamId), { label })}>
                      Nodes
                    </ButtonLink>
                    {mayEdit && (
                      <Button isSmall icon="play" onClick={() => setIsComputing(true)}>
                        Compute
                      </Button>
                    )}
                  </>
                }
              >
                {data.length === 0 ? (
                  <EmptyState icon="quality" title="No figures in this range">
                    Days are computed every night; a day can be computed at any time, too.
                  </EmptyState>
                ) : (
                  <div className="stack">
                    <dl className="figures">
                      <Figure
                        label={newest ? formatWholeDay(newest.day) : 'Newest'}
                        value={<Percent value={newest?.value ?? null} target={objective?.target} />}
                        note={newest && nodesKnown(newest)}
                      />
                      <Figure
                        label={`Average of ${data.length} ${data.length === 1 ? 'day' : 'days'}`}
                        value={formatPercent(mean === null ? null : Math.round(mean * 1000) / 1000)}
                        note={newest?.query && <code>{newest.query}</code>}
                      />
                      <Figure label="Error budget" value={<BudgetBar objective={objective} />} />
                    </dl>
                    <DayChart
                      label={`Quality of ${label}`}
                      days={days.map((one) => ({ day: one, value: byDay.get(one)?.value ?? null }))}
                      target={objective?.target}
                      chosen={chosen}
                      onDay={(next) => change({ day: next }, { push: true })}
                    />
                  </div>
                )}
              </Card>
              {chosen && <WorstNodesList teamId={teamId} label={label} day={chosen} target={objective?.target} />}
            </>
          );
        }}
      </Loaded>
      <p className="small">
        <ButtonLink isSmall variant="ghost" icon="chevronLeft" href={qosPath(teamId, '/labels')}>
          All labels
        </ButtonLink>
      </p>
      {isComputing && <ComputeDialog teamId={teamId} label={label} day={day} onClose={() => setIsComputing(false)} />}
    </>
  );
}

function nodesKnown({ nodes = 0, unknown_nodes: unknown = 0 }: History['data'][number]): string {
  const known = (nodes - unknown).toLocaleString();
  return unknown === 0 ? `of ${known} nodes` : `of ${known} nodes; of ${unknown.toLocaleString()} nothing is known`;
}
