import { withQuery } from '../api/client.ts';
import { useApi } from '../api/hooks.ts';
import { ButtonLink } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { EmptyState } from '../design/states.tsx';
import { nodePath, qosPath } from '../routing/paths.ts';
import { useSearchState } from '../routing/search-state.ts';
import { DayChart } from './day-chart.tsx';
import { ExplanationTree } from './explanation-tree.tsx';
import { addDays, daysUpTo, formatWholeDay } from './figures.ts';
import type { History } from './qos-types.ts';
import { useToday } from './use-today.ts';

const shownDays = 30;

/** One node: its figures day by day, and why it has the one of the chosen day. */
export function ExplainPage({ teamId }: { teamId: string }) {
  const [{ label, name, day }, change] = useSearchState({ label: '', name: '', day: '' });
  if (label === '' || name === '') {
    return (
      <EmptyState
        icon="search"
        title="Which node?"
        action={<ButtonLink href={qosPath(teamId, '/labels')}>To the labels</ButtonLink>}
      >
        Choose a label, then one of its worst nodes.
      </EmptyState>
    );
  }
  const setDay = (next: string): void => change({ day: next }, { push: true });
  return (
    <>
      <Card
        title={
          <span className="wrap-anywhere">
            {name} <span className="muted">{label}</span>
          </span>
        }
        actions={
          <>
            <ButtonLink isSmall href={nodePath(teamId, label, name)}>
              Node
            </ButtonLink>
            <ButtonLink isSmall href={qosPath(teamId, `/labels/${label}`)}>
              All of {label}
            </ButtonLink>
          </>
        }
      >
        <NodeChart teamId={teamId} label={label} name={name} day={day} onDay={setDay} />
      </Card>
      <Card title={day === '' ? 'Why, on its newest day' : `Why, on ${formatWholeDay(day)}`}>
        <ExplanationTree teamId={teamId} label={label} name={name} day={day === '' ? undefined : day} />
      </Card>
    </>
  );
}

function NodeChart({
  teamId,
  label,
  name,
  day,
  onDay,
}: {
  teamId: string;
  label: string;
  name: string;
  day: string;
  onDay: (day: string) => void;
}) {
  const today = useToday();
  // An old day of a link must be in the picture too.
  const last = day !== '' && day < addDays(today, 1 - shownDays) ? addDays(day, shownDays / 2) : today;
  const days = daysUpTo(last, shownDays);
  const range = { start: days[0], end: days.at(-1) };
  const query = useApi<History>(withQuery(`/v1/teams/${teamId}/qos`, { label, name, ...range }), {
    keepPrevious: true,
  });
  const byDay = new Map(query.data?.data.map((one) => [one.day, one.value]));
  return (
    <DayChart
      label={`Quality of ${name}`}
      days={days.map((one) => ({ day: one, value: byDay.get(one) ?? null }))}
      chosen={day === '' ? undefined : day}
      onDay={onDay}
    />
  );
}
