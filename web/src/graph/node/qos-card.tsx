import { useApi } from '../../api/hooks.ts';
import { ButtonLink } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { EmptyState, ErrorState, Loading } from '../../design/states.tsx';
import { Segmented } from '../../design/tabs.tsx';
import { ExplanationTree } from '../../qos/explanation-tree.tsx';
import { qosPath } from '../../routing/paths.ts';
import type { NodeRef } from '../node-key.ts';
import { daysBetween } from './chart-scale.ts';
import { historyUrl, type QosHistory } from './qos-api.ts';
import { QosChart } from './qos-chart.tsx';

const spans = ['30', '90', '365'] as const;
export type Span = (typeof spans)[number];
export const isSpan = (text: string): text is Span => spans.some((span) => span === text);

const dayText = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10);

/** How well it worked, day by day, and why. */
export function QosCard({
  teamId,
  node,
  now,
  span,
  day,
  onChange,
}: {
  teamId: string;
  node: NodeRef;
  now: number;
  span: Span;
  day: string;
  onChange: (change: { span?: Span; day?: string }) => void;
}) {
  const [start, end] = [dayText(now - (Number(span) - 1) * 86_400), dayText(now)];
  const history = useApi<QosHistory>(historyUrl(teamId, node, start, end), { keepPrevious: true, staleMs: 30_000 });
  // A service that has no figures yet may not know the address either.
  const isMissing = history.error?.status === 404;
  const known = new Map(history.data?.data.map((one) => [one.day, one]));
  const isEmpty = isMissing || (history.data !== undefined && known.size === 0);
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
      {isEmpty ? (
        <EmptyState
          icon="quality"
          title="No figures yet"
          action={<ButtonLink href={qosPath(teamId)}>Quality of service of this team</ButtonLink>}
        >
          Give the label {node.label} a query in the team's configuration; figures come with the next computation.
        </EmptyState>
      ) : history.error ? (
        <ErrorState error={history.error} onRetry={() => void history.refetch()} />
      ) : history.data ? (
        <div className="stack">
          <QosChart
            days={daysBetween(start, end).map((one) => known.get(one) ?? { day: one, value: null, coverage: 0 })}
            chosen={day}
            onDay={(next) => onChange({ day: next })}
          />
          {day === '' ? (
            <p className="small muted">Choose a day to see what its figure is made of.</p>
          ) : (known.get(day)?.value ?? null) === null ? (
            <p className="small muted">Nothing was known of {day}.</p>
          ) : (
            <ExplanationTree teamId={teamId} label={node.label} name={node.name} day={day} />
          )}
        </div>
      ) : (
        <Loading />
      )}
    </Card>
  );
}
