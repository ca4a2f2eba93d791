import { withQuery } from '../../api/client.ts';
import { useApi } from '../../api/hooks.ts';
import { ButtonLink } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { EmptyState, ErrorState, Loading } from '../../design/states.tsx';
import { Segmented } from '../../design/tabs.tsx';
import { DayChart } from '../../qos/day-chart.tsx';
import { ExplanationTree } from '../../qos/explanation-tree.tsx';
import { daysUpTo } from '../../qos/figures.ts';
import type { History } from '../../qos/qos-types.ts';
import { useToday } from '../../qos/use-today.ts';
import { qosPath } from '../../routing/paths.ts';
import type { NodeRef } from '../node-key.ts';

const spans = ['30', '90', '365'] as const;
export type Span = (typeof spans)[number];
export const isSpan = (text: string): text is Span => spans.some((span) => span === text);

/** How well it worked, day by day, and why. */
export function QosCard({
  teamId,
  node,
  span,
  day,
  onChange,
}: {
  teamId: string;
  node: NodeRef;
  span: Span;
  day: string;
  onChange: (change: { span?: Span; day?: string }) => void;
}) {
  const days = daysUpTo(useToday(), Number(span));
  const url = withQuery(`/v1/teams/${teamId}/qos`, { ...node, start: days[0], end: days.at(-1) });
  const history = useApi<History>(url, { keepPrevious: true, staleMs: 30_000 });
  const known = new Map(history.data?.data.map((one) => [one.day, one.value]));
  return (
    <Card
      title="Quality of service"
      actions={
        <Segmented
          label="Days shown"
          value={span}
          options={spans.map((one) => [one, `${one} days`] as const)}
          onValue={(next) => onChange({ span: next })}
        />
      }
    >
      {history.error ? (
        <ErrorState error={history.error} onRetry={() => void history.refetch()} />
      ) : !history.data ? (
        <Loading />
      ) : known.size === 0 ? (
        <EmptyState
          icon="quality"
          title="No figures yet"
          action={<ButtonLink href={qosPath(teamId)}>Quality of service of this team</ButtonLink>}
        >
          Give the label {node.label} a query in the team's configuration; figures come with the next computation.
        </EmptyState>
      ) : (
        <div className="stack">
          <DayChart
            label={`Quality of ${node.name}`}
            days={days.map((one) => ({ day: one, value: known.get(one) ?? null }))}
            chosen={day === '' ? undefined : day}
            onDay={(next) => onChange({ day: next })}
          />
          {day === '' ? (
            <p className="small muted">Choose a day to see what its figure is made of.</p>
          ) : (known.get(day) ?? null) === null ? (
            <p className="small muted">Nothing was known of {day}.</p>
          ) : (
            <ExplanationTree teamId={teamId} label={node.label} name={node.name} day={day} />
          )}
        </div>
      )}
    </Card>
  );
}
