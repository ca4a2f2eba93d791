import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useChange } from '../../api/hooks.ts';
import { Button, ButtonLink } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { TextField } from '../../design/field.tsx';
import { ErrorState, Progress } from '../../design/states.tsx';
import { qosPath } from '../../routing/paths.ts';
import { useSearchState } from '../../routing/search-state.ts';
import { addDays } from '../figures.ts';
import type { StartedRuns, TeamConfig } from '../qos-types.ts';
import { isOpen, progressOf } from '../runs/run-state.tsx';
import { TrialChanges } from '../runs/trial-changes.tsx';
import { useRun } from '../runs/use-run.ts';
import { useToday } from '../use-today.ts';

/** Computes a day with the configuration in the editor, shows what would change, and changes nothing. */
export function DryRun({ teamId, config, isUsable }: { teamId: string; config: TeamConfig; isUsable: boolean }) {
  const today = useToday();
  const [day, setDay] = useState(addDays(today, -1));
  const [{ trial }, change] = useSearchState({ trial: '' });
  const start = useChange(
    () => api.post<StartedRuns>(`/v1/teams/${teamId}/qos/compute`, { day, config, dry_run: true }),
    [`/v1/teams/${teamId}/qos/runs`],
  );
  const run = useRun(teamId, trial === '' ? null : trial);
  const submit = (): void =>
    start.mutate(undefined, { onSuccess: ({ runs: [only] }) => only && change({ trial: only.id }) });
  return (
    <>
      <Card title="Dry run">
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
        >
          <p className="muted">
            Computes one day with what is in the editor, and shows what would differ from the figures of that day.
            Nothing is changed.
          </p>
          <div className="row">
            <TextField label="Day" isLabelUnseen type="date" value={day} max={today} required onValue={setDay} />
            <Button
              type="submit"
              icon="play"
              isBusy={start.isPending || (run.data !== undefined && isOpen(run.data))}
              disabled={!isUsable}
            >
              Try it
            </Button>
            {run.data && (
              <ButtonLink variant="ghost" href={qosPath(teamId, `/runs/${run.data.id}`)}>
                The run
              </ButtonLink>
            )}
          </div>
          {start.error && <ErrorState error={start.error} />}
          {run.error && <ErrorState error={run.error} />}
          {run.data && isOpen(run.data) && <Progress value={progressOf(run.data) ?? null} label="Computing" />}
          {run.data?.state === 'error' && <p className="outcome-bad">The run failed; its workflow says why.</p>}
        </form>
      </Card>
      {run.data?.changes && <TrialChanges teamId={teamId} day={run.data.day} changes={run.data.changes} />}
    </>
  );
}
