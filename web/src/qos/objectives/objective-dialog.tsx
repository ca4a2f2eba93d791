import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useChange } from '../../api/hooks.ts';
import { FormDialog } from '../../design/dialog.tsx';
import { Select, TextField } from '../../design/field.tsx';
import { formatMinutes } from '../figures.ts';
import type { Objective } from '../qos-types.ts';

const minutesOfDay = 1440;

/** A new objective, or a change of one; says at once what it would allow. */
export function ObjectiveDialog({
  path,
  objective,
  labels,
  onClose,
}: {
  path: string;
  objective: Objective | undefined;
  /** Labels without an objective. */
  labels: string[];
  onClose: () => void;
}) {
  const [label, setLabel] = useState(objective?.label ?? labels[0] ?? '');
  const [target, setTarget] = useState(String(objective?.target ?? 99.5));
  const [days, setDays] = useState(String(objective?.window_days ?? 30));
  const body = { target: Number(target), window_days: Number(days) };
  const save = useChange(() => api.put<Objective>(`${path}/${label}`, body), [path]);
  const allowed = ((100 - body.target) / 100) * body.window_days * minutesOfDay;
  const errorOf = (field: string) => save.error?.details.find((one) => one.path === field)?.message;
  return (
    <FormDialog
      title={objective ? `Objective of ${label}` : 'Add an objective'}
      submit="Save"
      isBusy={save.isPending}
      error={save.error}
      onSubmit={() => save.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      {!objective && <Select label="Label" value={label} onValue={setLabel} options={labels} required />}
      <TextField
        label="Target, in percent"
        type="number"
        min={0}
        max={100}
        step="any"
        required
        value={target}
        onValue={setTarget}
        error={errorOf('target')}
      />
      <TextField
        label="Over so many days"
        type="number"
        min={1}
        max={366}
        step={1}
        required
        value={days}
        onValue={setDays}
        error={errorOf('window_days')}
        hint={
          Number.isFinite(allowed) && allowed >= 0
            ? `It may fail for ${formatMinutes(allowed)} in that time.`
            : undefined
        }
      />
    </FormDialog>
  );
}
