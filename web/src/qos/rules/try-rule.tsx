import { useId, useState } from 'react';
import { api, withQuery } from '../../api/client.ts';
import { useApi, useChange } from '../../api/hooks.ts';
import { Button } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { Select, TextField } from '../../design/field.tsx';
import { ErrorState } from '../../design/states.tsx';
import { useSearchState } from '../../routing/search-state.ts';
import { addDays, unixStartOf } from '../figures.ts';
import type { Execution, Rule } from '../qos-types.ts';
import { useToday } from '../use-today.ts';
import { ExecutionView } from './execution-view.tsx';
import './try-rule.css';

const daySeconds = 86_400;
const offered = 20;

/** Asks the sources now, for one node and one day, and draws what comes of it. Nothing is kept. */
export function TryRule({ teamId, rule, labels }: { teamId: string; rule: Rule; labels: string[] }) {
  const today = useToday();
  const [{ label, name, day }, change] = useSearchState({
    label: labels[0] ?? '',
    name: '',
    day: addDays(today, -1),
  });
  const [typed, setTyped] = useState(name);
  const id = useId();
  const names = useApi<string[]>(
    label === '' ? null : withQuery(`/v1/teams/${teamId}/labels/${label}/nodes`, { name: typed, limit: offered }),
    { keepPrevious: true },
  );
  const run = useChange(() => {
    const start = unixStartOf(day);
    return api.post<Execution>(`/v1/teams/${teamId}/rules/${rule.id}/execute`, {
      label,
      name: typed,
      start,
      end: start + daySeconds,
    });
  });
  return (
    <Card title="Try it">
      <div className="stack">
        <form
          className="try-form"
          onSubmit={(event) => {
            event.preventDefault();
            change({ name: typed });
            run.mutate();
          }}
        >
          <Select label="Label" value={label} onValue={(next) => change({ label: next, name: '' })} options={labels} />
          <TextField
            label="Node"
            value={typed}
            onValue={setTyped}
            list={id}
            required
            autoComplete="off"
            placeholder={names.data?.[0]}
          />
          <datalist id={id}>
            {(names.data ?? []).map((one) => (
              <option key={one}>{one}</option>
            ))}
          </datalist>
          <TextField
            label="Day"
            type="date"
            value={day}
            max={today}
            required
            onValue={(next) => change({ day: next })}
          />
          <Button type="submit" variant="primary" icon="play" isBusy={run.isPending}>
            Try it
          </Button>
        </form>
        {run.error && <ErrorState error={run.error} />}
        {run.data && !run.error && <ExecutionView execution={run.data} />}
      </div>
    </Card>
  );
}
