import { useState } from 'react';
import { withQuery } from '../../api/client.ts';
import { useApi } from '../../api/hooks.ts';
import { Badge } from '../../design/badge.tsx';
import { ButtonLink } from '../../design/button.tsx';
import { Figure, PageHeader } from '../../design/card.tsx';
import { EmptyState, ErrorState, Loading } from '../../design/states.tsx';
import { explorerPath } from '../../routing/paths.ts';
import { useSearchState } from '../../routing/search-state.ts';
import { type ImpactTotals, impactUrl, type NodeAlone, nodeUrl } from '../graph-api.ts';
import { LabelMark } from '../label-mark.tsx';
import { useLabelColor } from '../labels.ts';
import type { NodeRef } from '../node-key.ts';
import { NeighboursCard } from './neighbours-card.tsx';
import './node.css';
import { rangeOf } from './periods.ts';
import { isSpan, QosCard } from './qos-card.tsx';
import { TimeAxis, TimeBars } from './timeline.tsx';

const defaults = { span: '90', day: '', needs: '', needsPage: '1', impacts: '', impactsPage: '1' };

const pageOf = (text: string): number => Math.max(1, Math.trunc(Number(text)) || 1);

/** All about one node: what it needs, what needs it, when it was there, and how well it worked. */
export function NodePage({ teamId, node }: { teamId: string; node: NodeRef }) {
  const [state, change] = useSearchState(defaults);
  const [now] = useState(() => Math.floor(Date.now() / 1000));
  const alone = useApi<NodeAlone>(nodeUrl(teamId, node));
  const impact = useApi<ImpactTotals>(impactUrl(teamId, node, undefined), { staleMs: 30_000 });
  const explore = withQuery(explorerPath(teamId), node);
  if (alone.error?.status === 404) {
    return (
      <div className="page">
        <EmptyState
          icon="search"
          title={`There is no ${node.label} ${node.name}`}
          action={<ButtonLink href={explorerPath(teamId)}>Search in the explorer</ButtonLink>}
        >
          It may have been deleted, or it has another name now.
        </EmptyState>
      </div>
    );
  }
  if (alone.error) return <ErrorState error={alone.error} onRetry={() => void alone.refetch()} />;
  if (!alone.data) return <Loading />;
  return (
    <div className="page stack">
      <PageHeader
        title={node.name}
        description={<LabelMark teamId={teamId} label={node.label} />}
        actions={
          <>
            <ButtonLink href={explore} icon="graph" variant="primary">
              Explore
            </ButtonLink>
            <ButtonLink href={withQuery(explorerPath(teamId), { ...node, view: 'impacted' })}>
              What breaks with it
            </ButtonLink>
          </>
        }
      />
      <Summary teamId={teamId} node={node} alone={alone.data} impact={impact.data} now={now} />
      <QosCard
        teamId={teamId}
        node={node}
        span={isSpan(state.span) ? state.span : '90'}
        day={state.day}
        onChange={change}
      />
      <div className="columns">
        <NeighboursCard
          {...{ teamId, node, now }}
          direction="dependencies"
          label={state.needs}
          page={pageOf(state.needsPage)}
          onChange={(label, next) => change({ needs: label, needsPage: String(next) })}
        />
        <NeighboursCard
          {...{ teamId, node, now }}
          direction="impacted"
          label={state.impacts}
          page={pageOf(state.impactsPage)}
          onChange={(label, next) => change({ impacts: label, impactsPage: String(next) })}
        />
      </div>
    </div>
  );
}

function Summary({
  teamId,
  node,
  alone,
  impact,
  now,
}: {
  teamId: string;
  node: NodeRef;
  alone: NodeAlone;
  impact: ImpactTotals | undefined;
  now: number;
}) {
  const colorOf = useLabelColor(teamId);
  const { from, to } = alone;
  const isActive = (from === undefined || from <= now) && (to === undefined || to >= now);
  const isAlways = from === undefined && to === undefined;
  const periods = isAlways ? [] : to === undefined ? [from ?? 0] : [from ?? 0, to];
  const range = rangeOf(periods, now);
  return (
    <section className="card" aria-label="Summary">
      <dl className="node-figures">
        <Figure
          label="State"
          value={isActive ? <Badge tone="good">active</Badge> : <Badge>not active</Badge>}
          note={isAlways ? 'always' : undefined}
        />
        <Figure
          label="Breaks with it"
          value={impact ? impact.count.toLocaleString() : ''}
          note={impact && `${impact.active.toLocaleString()} active now`}
        />
        {impact?.groups.slice(0, 5).map(({ label, count }) => (
          <Figure key={label} label={label} value={count.toLocaleString()} />
        ))}
      </dl>
      {!isAlways && (
        <div className="node-life">
          <TimeAxis range={range} now={now} />
          <TimeBars periods={periods} range={range} now={now} color={colorOf(node.label)} />
        </div>
      )}
    </section>
  );
}
