import { useState } from 'react';
import { api } from '../api/client.ts';
import { useChange } from '../api/hooks.ts';
import type { Integration, IntegrationModel } from '../api/types.ts';
import { Dialog, FormDialog } from '../design/dialog.tsx';
import { TextField } from '../design/field.tsx';
import { defaultOf } from '../design/json-schema.ts';
import { SchemaForm } from '../design/schema-form.tsx';
import { useToast } from '../design/toast.tsx';

/** A new integration, whose model is chosen first, or a change of one. */
export function IntegrationDialog({
  path,
  models,
  integration,
  onClose,
}: {
  path: string;
  models: IntegrationModel[];
  integration: Integration | undefined;
  onClose: () => void;
}) {
  const [model, setModel] = useState(() => models.find(({ name }) => name === integration?.model));
  if (!model)
    return <ModelChoice models={models.filter(({ disabled }) => !disabled)} onChoose={setModel} onClose={onClose} />;
  return <ConfigDialog path={path} model={model} integration={integration} onClose={onClose} />;
}

function ModelChoice({
  models,
  onChoose,
  onClose,
}: {
  models: IntegrationModel[];
  onChoose: (model: IntegrationModel) => void;
  onClose: () => void;
}) {
  return (
    <Dialog title="What shall be integrated?" isWide onClose={onClose}>
      <ul className="dialog-body models">
        {models.map((model) => (
          <li key={model.name}>
            <button type="button" className="model" onClick={() => onChoose(model)}>
              <strong>{model.title}</strong>
              <span className="small muted">{model.description}</span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function ConfigDialog({
  path,
  model,
  integration,
  onClose,
}: {
  path: string;
  model: IntegrationModel;
  integration: Integration | undefined;
  onClose: () => void;
}) {
  const [name, setName] = useState(integration?.name ?? model.title);
  const [config, setConfig] = useState<Record<string, unknown>>(
    () => integration?.config ?? (defaultOf(model.config_schema) as Record<string, unknown>), // the schema of a configuration is one of an object
  );
  const toast = useToast();
  const save = useChange(
    () =>
      integration
        ? api.put<Integration>(`${path}/${integration.id}`, { name, config })
        : api.post<Integration>(path, { name, model: model.name, config }),
    [path],
  );
  const submit = (): void =>
    save.mutate(undefined, {
      onSuccess: () => {
        toast.say(`${name} is saved. Test it to see whether it connects.`);
        onClose();
      },
    });
  return (
    <FormDialog
      title={integration ? `Edit ${integration.name}` : `Add ${model.title}`}
      submit="Save"
      isBusy={save.isPending}
      error={save.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <p className="muted">
        {model.description}{' '}
        {model.docs_url && (
          <a href={model.docs_url} target="_blank" rel="noreferrer">
            Documentation
          </a>
        )}
      </p>
      <TextField label="Name" value={name} onValue={setName} required maxLength={100} />
      <SchemaForm
        schema={model.config_schema}
        value={config}
        onChange={setConfig}
        errors={save.error?.details ?? []}
        errorPrefix="config"
      />
    </FormDialog>
  );
}
