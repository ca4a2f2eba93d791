import { useState } from 'react';
import { useLocation } from 'wouter';
import { api } from '../../api/client.ts';
import { useApi, useChange } from '../../api/hooks.ts';
import type { Label } from '../../api/types.ts';
import { FormDialog } from '../../design/dialog.tsx';
import { Select, TextField } from '../../design/field.tsx';
import { Segmented } from '../../design/tabs.tsx';
import { useToast } from '../../design/toast.tsx';
import { qosPath } from '../../routing/paths.ts';
import { addDays } from '../figures.ts';
import type { StartedRuns } from '../qos-types.ts';
import { useToday } from '../use-today.ts';

const maxDays = 92;

/** Computes a day, or some days, anew. */
export function ComputeDialog({
  teamId,
  label = '',
  day = '',
  onClose,
}: {
  teamId: string;
  /** What is chosen at first. */
  label?: string;
  day?: string;
  onClose: () => void;
}) {
  const today = useToday();
  const [kind, setKind] = useState<'day' | 'range'>('day');
  const [last, setLast] = useState(day === '' ? addDays(today, -1) : day);
  const [first, setFirst] = useState(addDays(last, -6));
  const [chosen, setChosen] = useState(label);
  const labels = useApi<Label[]>(`/v1/teams/${teamId}/labels`);
  const [, navigate] = useLocation();
  const toast = useToast();
  const start = useChange(
    () =>
      api.post<StartedRuns>(`/v1/teams/${teamId}/qos/compute`, {
        ...(kind === 'day' ? { day: last } : { start: first, end: last }),
        ...(chosen === '' ? {} : { labels: [chosen] }),
      }),
    [`/v1/teams/${teamId}/qos/runs`],
  );
  const submit = (): void =>
    start.mutate(undefined, {
      onSuccess: ({ runs }) => {
        toast.say(runs.length === 1 ? 'The computation is under way.' : `${runs.length} computations are under way.`);
        onClose();
        const [only] = runs;
        navigate(qosPath(teamId, runs.length === 1 && only ? `/runs/${only.id}` : '/runs'));
      },
    });
  const configured = (labels.data ?? []).filter(({ qos_query: query }) => query !== null);
  return (
    <FormDialog
      title="Compute"
      submit="Compute"
      isBusy={start.isPending}
      error={start.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <div className="row">
        <Segmented
          label="What to compute"
          value={kind}
          options={[
            ['day', 'One day'],
            ['range', 'Several days'],
          ]}
          onValue={setKind}
        />
      </div>
      {kind === 'range' && (
        <TextField label="First day" type="date" value={first} max={last} required onValue={setFirst} />
      )}
      <TextField
        label={kind === 'day' ? 'Day' : 'Last day'}
        hint={
          kind === 'range'
            ? `Days are in UTC; at most ${maxDays} at once.`
            : 'In UTC. What was computed before is replaced.'
        }
        type="date"
        value={last}
        max={today}
        required
        onValue={setLast}
      />
      <Select
        label="Labels"
        value={chosen}
        onValue={setChosen}
        options={[['', 'All'], ...configured.map(({ name }) => [name, `${name}, and what it needs`] as const)]}
      />
    </FormDialog>
  );
}
