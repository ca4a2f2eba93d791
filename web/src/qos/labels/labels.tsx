import { Link } from 'wouter';
import { withQuery } from '../../api/client.ts';
import { useApi } from '../../api/hooks.ts';
import { ButtonLink } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { EmptyState, Loaded } from '../../design/states.tsx';
import { Table } from '../../design/table.tsx';
import { qosPath } from '../../routing/paths.ts';
import { BudgetBar } from '../budget-bar.tsx';
import { daysUpTo, formatDay } from '../figures.ts';
import { Percent } from '../percent.tsx';
import type { LabelStatistics, Objective, Statistics } from '../qos-types.ts';
import { useToday } from '../use-today.ts';
import { LabelMap } from './label-map.tsx';
import { LabelSparkline } from './label-sparkline.tsx';

const shownDays = 30;

/** Every label: how well it works today, how well it did in the last month, and what that leaves of its budget. */
export function Labels({ teamId }: { teamId: string }) {
  const days = daysUpTo(useToday(), shownDays);
  const range = { start: days[0], end: days.at(-1) };
  const statistics = useApi<Statistics>(withQuery(`/v1/teams/${teamId}/statistics`, range), { refreshMs: 60_000 });
  const objectives = useApi<{ objectives: Objective[] }>(`/v1/teams/${teamId}/qos/objectives`, { refreshMs: 60_000 });
  const objectiveOf = (label: string) => objectives.data?.objectives.find((one) => one.label === label);
  return (
    <Loaded query={statistics}>
      {({ labels }) => {
        const configured = labels.filter(({ qos_query: query }) => query !== null);
        const others = labels.filter(({ qos_query: query }) => query === null);
        return configured.length === 0 ? (
          <NothingConfigured teamId={teamId} hasLabels={labels.length > 0} />
        ) : (
          <>
            <Card title="What follows from what" isFlush>
              <LabelMap teamId={teamId} labels={configured} objectives={objectives.data?.objectives ?? []} />
            </Card>
            <Card title="Labels" isFlush>
              <Table
                label="Labels"
                rows={configured}
                keyOf={({ label }) => label}
                columns={[
                  {
                    head: 'Label',
                    cell: ({ label, nodes_count: nodes }) => (
                      <>
                        <Link href={qosPath(teamId, `/labels/${label}`)}>
                          <strong>{label}</strong>
                        </Link>
                        <div className="small muted numbers">
                          {nodes.toLocaleString()} {nodes === 1 ? 'node' : 'nodes'}
                        </div>
                      </>
                    ),
                  },
                  {
                    head: 'Newest',
                    isNarrow: true,
                    cell: (one) => <Newest one={one} target={objectiveOf(one.label)?.target} today={range.end ?? ''} />,
                  },
                  {
                    head: `${shownDays} days`,
                    cell: ({ label }) => <LabelSparkline teamId={teamId} label={label} days={days} />,
                  },
                  {
                    head: 'Average',
                    isNumber: true,
                    isNarrow: true,
                    cell: ({ label, average }) => <Percent value={average} target={objectiveOf(label)?.target} />,
                  },
                  {
                    head: 'Error budget',
                    cell: ({ label }) => <BudgetBar objective={objectiveOf(label)} />,
                  },
                  {
                    head: 'Follows from',
                    cell: ({ qos_query: query }) => <code className="small wrap-anywhere">{query}</code>,
                  },
                ]}
              />
            </Card>
            {others.length > 0 && (
              <p className="small muted">
                Without a query: {others.map(({ label }) => label).join(', ')}.{' '}
                <Link href={qosPath(teamId, '/configuration')}>Configure them</Link>
              </p>
            )}
          </>
        );
      }}
    </Loaded>
  );
}

function Newest({ one, target, today }: { one: LabelStatistics; target: number | undefined; today: string }) {
  if (!one.latest) return <span className="muted">not computed</span>;
  return (
    <>
      <Percent value={one.latest.value} target={target} />
      <div className="small muted">{one.latest.day === today ? 'today' : formatDay(one.latest.day)}</div>
    </>
  );
}

function NothingConfigured({ teamId, hasLabels }: { teamId: string; hasLabels: boolean }) {
  return (
    <EmptyState
      icon="quality"
      title="No quality is configured"
      action={
        <ButtonLink variant="primary" href={qosPath(teamId, hasLabels ? '/configuration' : '/sources')}>
          {hasLabels ? 'Write the configuration' : 'Add a source'}
        </ButtonLink>
      }
    >
      A source brings measurements, a check says which of them are good, a rule is made of checks. The configuration
      then says for each label which rule it follows, or which other labels.
    </EmptyState>
  );
}
