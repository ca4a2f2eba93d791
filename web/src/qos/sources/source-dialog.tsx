import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useChange } from '../../api/hooks.ts';
import type { IntegrationModel } from '../../api/types.ts';
import { FormDialog } from '../../design/dialog.tsx';
import { Select, TextField } from '../../design/field.tsx';
import { defaultOf } from '../../design/json-schema.ts';
import { MapField } from '../../design/map-field.tsx';
import { SchemaForm } from '../../design/schema-form.tsx';
import { useToast } from '../../design/toast.tsx';
import type { Source } from '../qos-types.ts';

type Config = Record<string, unknown>;

/** A new source, or a change of one; what it asks for is what the JSON Schema of its model says. */
export function SourceDialog({
  path,
  models,
  source,
  onClose,
}: {
  path: string;
  /** Those that measurements come from. */
  models: IntegrationModel[];
  source: Source | undefined;
  onClose: () => void;
}) {
  const usable = models.filter(({ disabled, name }) => !disabled || name === source?.model);
  const [modelName, setModelName] = useState(source?.model ?? usable[0]?.name ?? '');
  const model = usable.find(({ name }) => name === modelName);
  const [name, setName] = useState(source?.name ?? '');
  const [config, setConfig] = useState<Config>(source?.config ?? (model ? beginningOf(model) : {}));
  const [variables, setVariables] = useState(source?.variables ?? {});
  const toast = useToast();
  const save = useChange(
    () =>
      source
        ? api.put<Source>(`${path}/${source.id}`, { name, config, variables })
        : api.post<Source>(path, { name, model: modelName, config, variables }),
    [path],
  );
  const choose = (next: string): void => {
    const chosen = usable.find((one) => one.name === next);
    setModelName(next);
    setConfig(chosen ? beginningOf(chosen) : {});
  };
  const submit = (): void =>
    save.mutate(undefined, {
      onSuccess: () => {
        toast.say(`${name} is saved. Test it to see whether it answers.`);
        onClose();
      },
    });
  return (
    <FormDialog
      title={source ? `Edit ${source.name}` : 'Add a source'}
      submit="Save"
      isBusy={save.isPending}
      error={save.error}
      onSubmit={submit}
      onClose={onClose}
    >
      {!source && (
        <Select
          label="Model"
          hint={model?.description}
          value={modelName}
          onValue={choose}
          options={usable.map((one) => [one.name, one.title])}
        />
      )}
      <TextField label="Name" value={name} onValue={setName} required maxLength={100} />
      {model && hasFields(model) && (
        <SchemaForm
          key={modelName}
          schema={model.config_schema}
          value={config}
          onChange={setConfig}
          errors={save.error?.details ?? []}
          errorPrefix="config"
        />
      )}
      <MapField
        label="Variables"
        hint={
          <>
            Found in the queries of its checks as <code>{'{{ source.NAME }}'}</code>.
          </>
        }
        value={variables}
        onChange={setVariables}
        errors={save.error?.details ?? []}
        path="variables"
      />
    </FormDialog>
  );
}

const hasFields = ({ config_schema: { properties } }: IntegrationModel): boolean =>
  typeof properties === 'object' && properties !== null && Object.keys(properties).length > 0;

const beginningOf = (model: IntegrationModel): Config => (defaultOf(model.config_schema) ?? {}) as Config; // a configuration is an object
