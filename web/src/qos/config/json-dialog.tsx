import { useState } from 'react';
import { FormDialog } from '../../design/dialog.tsx';
import { TextArea } from '../../design/field.tsx';
import type { TeamConfig } from '../qos-types.ts';
import { printConfig, readConfig } from './draft.ts';

/** The whole configuration as text: to carry it to another team, or to bring one. */
export function JsonDialog({
  config,
  onTake,
  onClose,
}: {
  config: TeamConfig;
  onTake: (config: TeamConfig) => void;
  onClose: () => void;
}) {
  const [text, setText] = useState(() => printConfig(config));
  const read = readConfig(text);
  const submit = (): void => {
    if (typeof read === 'string') return;
    onTake(read);
    onClose();
  };
  return (
    <FormDialog
      title="The configuration as JSON"
      submit="Take it over"
      isBusy={false}
      error={null}
      isWide
      onSubmit={submit}
      onClose={onClose}
    >
      <TextArea
        label="Configuration"
        hint="It goes into the editor; nothing is saved yet."
        error={typeof read === 'string' ? read : undefined}
        value={text}
        onValue={setText}
        rows={16}
        spellCheck={false}
        style={{ fontFamily: 'var(--font-mono)' }}
      />
    </FormDialog>
  );
}
