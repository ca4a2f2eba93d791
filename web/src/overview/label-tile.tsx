import { Link } from 'wouter';
import { withQuery } from '../api/client.ts';
import { useApi } from '../api/hooks.ts';
import type { Label } from '../api/types.ts';
import { Sparkline } from '../design/sparkline.tsx';
import { useNow } from '../design/time.tsx';
import { dayOf, daysUpTo, fillDays, formatPercent, meanOf, toneOf } from '../qos/figures.ts';
import { explorerPath, qosPath } from '../routing/paths.ts';

const shownDays = 30;

/** One label: how many nodes it has, and how well they worked. */
export function LabelTile({ teamId, label }: { teamId: string; label: Label }) {
  return (
    <article className="tile">
      <header>
        <h2>
          <Link href={withQuery(explorerPath(teamId), { label: label.name })}>{label.name}</Link>
        </h2>
        <span className="numbers muted">{label.nodes_count.toLocaleString()}</span>
      </header>
      {label.qos_query === null ? (
        <p className="small muted">No quality is configured.</p>
      ) : (
        <LabelQuality teamId={teamId} label={label.name} query={label.qos_query} />
      )}
    </article>
  );
}

function LabelQuality({ teamId, label, query }: { teamId: string; label: string; query: string }) {
  const days = daysUpTo(dayOf(new Date(useNow())), shownDays);
  const path = withQuery(`/v1/teams/${teamId}/qos`, { label, start: days[0], end: days.at(-1) });
  const history = useApi<{ data: { day: string; value: number | null }[] }>(path, {
    staleMs: 60_000,
    refreshMs: 300_000,
  });
  const values = fillDays(history.data?.data ?? [], days);
  const latest = values.findLast((value) => value !== null) ?? null;
  const mean = meanOf(values);
  const known = values.filter((value) => value !== null).length;
  if (history.isPending) return <p className="tile-value muted">…</p>;
  if (latest === null || mean === null) {
    return (
      <p className="small muted" title={query}>
        Not computed yet.
      </p>
    );
  }
  const isToday = values.at(-1) !== null;
  return (
    <>
      <Link href={qosPath(teamId, `/labels/${label}`)} className="tile-quality" title={query}>
        <span className={`tile-value numbers tone-${toneOf(latest)}`}>{formatPercent(latest)}</span>
        <span className="small muted">{isToday ? 'today' : 'latest'}</span>
      </Link>
      <Sparkline
        values={values}
        min={Math.min(99, ...values.filter((value) => value !== null))}
        max={100}
        label={`Quality of ${label} over ${shownDays} days: ${formatPercent(mean)} on average`}
      />
      <p className="small muted numbers" title={`${known} of the last ${shownDays} days have a figure`}>
        {formatPercent(mean)} over {known} {known === 1 ? 'day' : 'days'}
      </p>
    </>
  );
}
