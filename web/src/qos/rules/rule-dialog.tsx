import { useState } from 'react';
import { useBodySchema } from '../../api/body-schema.ts';
import { api } from '../../api/client.ts';
import { useApi, useChange } from '../../api/hooks.ts';
import { Dialog, FormDialog } from '../../design/dialog.tsx';
import { Checkbox } from '../../design/field.tsx';
import { SchemaForm } from '../../design/schema-form.tsx';
import { Loading } from '../../design/states.tsx';
import { describeThreshold } from '../checks/threshold-words.ts';
import type { Check, Rule } from '../qos-types.ts';

type Values = Record<string, unknown>;
const emptied: Values = { description: '', variables: {} };

/** A new rule, or a change of one, with the checks it is made of. */
export function RuleDialog({
  teamId,
  rule,
  onSaved,
  onClose,
}: {
  teamId: string;
  rule?: Rule | undefined;
  onSaved?: (rule: Rule) => void;
  onClose: () => void;
}) {
  const path = `/v1/teams/${teamId}/rules`;
  const schema = useBodySchema('post', '/v1/teams/{team_id}/rules');
  const checks = useApi<{ checks: Check[] }>(`/v1/teams/${teamId}/checks`);
  const [values, setValues] = useState<Values>(() =>
    rule ? { name: rule.name, description: rule.description, variables: rule.variables } : {},
  );
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(rule?.checks.map(({ id }) => id)));
  // A second try after the checks were refused must not make a second rule.
  const [saved, setSaved] = useState(rule);
  const save = useChange(async () => {
    const body = { ...emptied, ...values };
    const one = saved ? await api.put<Rule>(`${path}/${saved.id}`, body) : await api.post<Rule>(path, body);
    setSaved(one);
    return api.put<Rule>(`${path}/${one.id}/checks`, { checks: [...chosen] });
  }, [path, `/v1/teams/${teamId}/checks`, `/v1/teams/${teamId}/labels`]);
  const title = rule ? `Edit ${rule.name}` : 'Add a rule';
  if (!schema || !checks.data) {
    return (
      <Dialog title={title} onClose={onClose}>
        <div className="dialog-body">
          <Loading />
        </div>
      </Dialog>
    );
  }
  const toggle = (id: string, isChosen: boolean): void => {
    const next = new Set(chosen);
    if (isChosen) next.add(id);
    else next.delete(id);
    setChosen(next);
  };
  return (
    <FormDialog
      title={title}
      submit="Save"
      isBusy={save.isPending}
      error={save.error}
      onSubmit={() =>
        save.mutate(undefined, {
          onSuccess: (one) => {
            onClose();
            onSaved?.(one);
          },
        })
      }
      onClose={onClose}
    >
      <SchemaForm schema={schema} value={values} onChange={setValues} errors={save.error?.details ?? []} />
      <fieldset className="fieldset">
        <legend>Checks</legend>
        <p className="field-hint">The node is good while all of them are.</p>
        {checks.data.checks.length === 0 && <p className="muted">There is no check yet.</p>}
        {checks.data.checks.map(({ id, name, threshold, source_name: source }) => (
          <Checkbox
            key={id}
            label={
              <>
                {name}{' '}
                <span className="small muted">
                  {describeThreshold(threshold)}, from {source}
                </span>
              </>
            }
            isChecked={chosen.has(id)}
            onChecked={(isChosen) => toggle(id, isChosen)}
          />
        ))}
      </fieldset>
    </FormDialog>
  );
}
