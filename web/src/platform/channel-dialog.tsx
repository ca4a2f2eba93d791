import { useState } from 'react';
import { api } from '../api/client.ts';
import { useChange } from '../api/hooks.ts';
import type { Channel, ChannelTypes } from '../api/types.ts';
import { FormDialog } from '../design/dialog.tsx';
import { Checkbox, Select, TextField } from '../design/field.tsx';
import { SchemaForm } from '../design/schema-form.tsx';
import { useToast } from '../design/toast.tsx';

type Policy = Channel['on_failure'];
const policies: readonly (readonly [Policy, string])[] = [
  ['always', 'Always'],
  ['change', 'When it differs from the run before'],
  ['never', 'Never'],
];
const filterFields = [
  ['projects', 'Projects'],
  ['workflows', 'Workflows'],
  ['services', 'Types of services'],
  ['labels', 'Labels'],
] as const;

export function ChannelDialog({
  teamId,
  types,
  channel,
  onClose,
}: {
  teamId: string;
  types: ChannelTypes;
  channel: Channel | undefined;
  onClose: () => void;
}) {
  const [type, setType] = useState<string>(channel?.type ?? 'webhook');
  const [name, setName] = useState(channel?.name ?? '');
  const [settings, setSettings] = useState(() => channel?.settings ?? beginWith(types, type));
  const [policy, setPolicy] = useState({
    on_failure: channel?.on_failure ?? types[type]?.on_failure ?? 'always',
    on_success: channel?.on_success ?? types[type]?.on_success ?? 'change',
    on_start: channel?.on_start ?? types[type]?.on_start ?? 'never',
  });
  const [filters, setFilters] = useState<Channel['filters']>(channel?.filters ?? {});
  const [isEnabled, setIsEnabled] = useState(channel?.enabled ?? true);
  const toast = useToast();
  const save = useChange(() => {
    const body = { name, type, settings, filters: withoutEmpty(filters), ...policy, enabled: isEnabled };
    return channel
      ? api.put<Channel>(`/notification/channels/${channel.id}`, body)
      : api.post<Channel>('/notification/channels', { team_id: teamId, ...body });
  }, ['/notification/channels']);
  const submit = (): void =>
    save.mutate(undefined, {
      onSuccess: () => {
        toast.say(`${name} is saved.`);
        onClose();
      },
    });
  const chosen = types[type];
  return (
    <FormDialog
      title={channel ? `Edit ${channel.name}` : 'Add a channel'}
      submit="Save"
      isBusy={save.isPending}
      error={save.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <Select
        label="Type"
        value={type}
        disabled={channel !== undefined}
        hint={chosen?.description}
        options={Object.entries(types).map(([key, { title }]) => [key, title] as const)}
        onValue={(next) => {
          setType(next);
          setSettings(beginWith(types, next));
        }}
      />
      <TextField label="Name" value={name} onValue={setName} required maxLength={100} />
      {chosen && (
        <SchemaForm
          key={type}
          schema={chosen.config_schema}
          value={settings}
          onChange={setSettings}
          errors={save.error?.details ?? []}
          errorPrefix="settings"
        />
      )}
      <fieldset className="fieldset">
        <legend>When to tell</legend>
        {(
          [
            ['on_failure', 'Of failures'],
            ['on_success', 'Of successes'],
            ['on_start', 'Of starts'],
          ] as const
        ).map(([key, label]) => (
          <Select
            key={key}
            label={label}
            value={policy[key]}
            options={policies}
            onValue={(next) => setPolicy({ ...policy, [key]: next })}
          />
        ))}
      </fieldset>
      <fieldset className="fieldset">
        <legend>Only about</legend>
        <p className="field-hint">
          Separated by commas; <code>*</code> stands for any text. Empty means all.
        </p>
        {filterFields.map(([key, label]) => (
          <TextField
            key={key}
            label={label}
            value={(filters[key] ?? []).join(', ')}
            onValue={(text) => setFilters({ ...filters, [key]: text.split(',').map((part) => part.trimStart()) })}
          />
        ))}
      </fieldset>
      <Checkbox label="Switched on" isChecked={isEnabled} onChecked={setIsEnabled} />
    </FormDialog>
  );
}

/** The defaults, without the empty texts that only show which settings there are. */
const beginWith = (types: ChannelTypes, type: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(types[type]?.settings ?? {}).filter(([, value]) => value !== ''));

const withoutEmpty = (filters: Channel['filters']): Channel['filters'] =>
  Object.fromEntries(
    Object.entries(filters)
      .map(([key, globs]) => [key, (globs ?? []).map((glob) => glob.trim()).filter((glob) => glob !== '')] as const)
      .filter(([, globs]) => globs.length > 0),
  );
