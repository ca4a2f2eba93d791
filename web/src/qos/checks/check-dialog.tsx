import { useState } from 'react';
import { useBodySchema } from '../../api/body-schema.ts';
import { api } from '../../api/client.ts';
import { useChange } from '../../api/hooks.ts';
import { Dialog, FormDialog } from '../../design/dialog.tsx';
import type { JsonSchema } from '../../design/json-schema.ts';
import { SchemaForm } from '../../design/schema-form.tsx';
import { Loading } from '../../design/states.tsx';
import { useToast } from '../../design/toast.tsx';
import type { Check, Source } from '../qos-types.ts';

type Values = Record<string, unknown>;
const emptied: Values = { description: '', query: '', variables: {} };

/** A new check, or a change of one; the form is what the service says that it takes. */
export function CheckDialog({
  teamId,
  sources,
  check,
  onClose,
}: {
  teamId: string;
  sources: Source[];
  check: Check | undefined;
  onClose: () => void;
}) {
  const path = `/v1/teams/${teamId}/checks`;
  const schema = useBodySchema('post', '/v1/teams/{team_id}/checks');
  const [values, setValues] = useState<Values>(() =>
    check ? toValues(check) : { source: sources[0]?.name, fill: true },
  );
  const toast = useToast();
  const save = useChange(
    // What was emptied shall be empty: a change leaves alone what is not in it.
    () => (check ? api.put<Check>(`${path}/${check.id}`, { ...emptied, ...values }) : api.post<Check>(path, values)),
    [path, `/v1/teams/${teamId}/rules`],
  );
  const submit = (): void =>
    save.mutate(undefined, {
      onSuccess: ({ name }) => {
        toast.say(check ? `${name} is saved.` : `${name} is saved. Put it into a rule to use it.`);
        onClose();
      },
    });
  const title = check ? `Edit ${check.name}` : 'Add a check';
  if (!schema) {
    return (
      <Dialog title={title} onClose={onClose}>
        <div className="dialog-body">
          <Loading />
        </div>
      </Dialog>
    );
  }
  const isPushed = sources.find(({ name }) => name === values['source'])?.model === 'push';
  return (
    <FormDialog
      title={title}
      submit="Save"
      isBusy={save.isPending}
      error={save.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <SchemaForm
        schema={refine(schema, sources, isPushed)}
        value={values}
        onChange={setValues}
        errors={save.error?.details ?? []}
      />
    </FormDialog>
  );
}

function toValues({ name, description, source_name: source, query, threshold, fill, variables }: Check): Values {
  return { name, description, source, query, threshold, fill, variables };
}

/** The sources of this team to choose from, and no query where there is nobody to ask. */
function refine(schema: JsonSchema, sources: readonly Source[], isPushed: boolean): JsonSchema {
  const { name, source, query, fill, ...rest } = schema.properties ?? {};
  const words = `${query?.description ?? ''}. {{ name }} and {{ label }} are those of the node, {{ start }} and {{ end }} those of the day.`;
  return {
    ...schema,
    properties: {
      ...(name && { name }),
      source: { ...source, enum: sources.map(({ name }) => name), description: 'Where its measurements come from' },
      ...(isPushed ? {} : { query: { ...query, description: words } }),
      ...rest,
      ...(fill && { fill: { ...fill, title: 'Fill up to the ends of the day' } }),
    },
  };
}
