import { useRef, useState } from 'react';
import { useLocation } from 'wouter';
import type { DefinitionDetail, InstanceListItem } from '../../../src/workflows/workflows.schemas.ts';
import { ApiError, api } from '../api/client.ts';
import { useChange } from '../api/hooks.ts';
import { FormDialog } from '../design/dialog.tsx';
import { TextArea, TextField } from '../design/field.tsx';
import { SchemaForm } from '../design/schema-form.tsx';
import { Segmented } from '../design/tabs.tsx';
import { instancePath } from '../routing/paths.ts';
import { firstPayload, formSchemaOf, readPayload } from './payload.ts';

type Payload = Record<string, unknown>;

/** Asks for the payload: in a form made from its schema, or as JSON where there is none or it does not suffice. */
export function RunDialog({ definition, onClose }: { definition: DefinitionDetail; onClose: () => void }) {
  const { project, name, fullname } = definition;
  const schema = formSchemaOf(definition.payload_schema);
  const [mode, setMode] = useState<'form' | 'json'>(schema ? 'form' : 'json');
  const [payload, setPayload] = useState<Payload>(() => firstPayload(definition));
  const [text, setText] = useState(() => JSON.stringify(payload, null, 2));
  const [fault, setFault] = useState<string>();
  const [comment, setComment] = useState('');
  const [, navigate] = useLocation();
  // The same key for each try of this dialog: a second click, or a try after a lost answer, starts no second instance.
  const key = useRef(crypto.randomUUID());
  const start = useChange(
    (payload: Payload) =>
      api.post<InstanceListItem>(
        '/api/workflows',
        { project, name, payload, ...(comment.trim() !== '' && { comment: comment.trim() }) },
        { 'idempotency-key': key.current },
      ),
    ['/api/workflows'],
  );
  const show = (next: 'form' | 'json'): void => {
    if (next === 'json') setText(JSON.stringify(payload, null, 2));
    else {
      const read = readPayload(text);
      if ('fault' in read) {
        setFault(read.fault);
        return;
      }
      setPayload(read.payload);
    }
    setFault(undefined);
    setMode(next);
  };
  const submit = (): void => {
    const read = mode === 'json' ? readPayload(text) : { payload };
    setFault('fault' in read ? read.fault : undefined);
    if (!('payload' in read)) return;
    start.mutate(read.payload, { onSuccess: ({ id }) => navigate(instancePath(id)) });
  };
  const details = start.error instanceof ApiError ? start.error.details : [];
  return (
    <FormDialog
      title={`Run ${fullname}`}
      submit="Run"
      isBusy={start.isPending}
      error={start.error}
      onSubmit={submit}
      onClose={onClose}
      isWide
    >
      {schema && (
        <div>
          <Segmented
            label="How to give the payload"
            value={mode}
            onValue={show}
            options={[
              ['form', 'Form'],
              ['json', 'JSON'],
            ]}
          />
        </div>
      )}
      {mode === 'form' && schema ? (
        <SchemaForm schema={schema} value={payload} onChange={setPayload} errors={details} />
      ) : (
        <TextArea
          label="Payload, as JSON"
          hint={definition.payload_schema === undefined ? 'This workflow takes any object.' : undefined}
          value={text}
          onValue={setText}
          error={fault}
          rows={10}
          spellCheck={false}
          className="input mono"
        />
      )}
      <TextField
        label="Comment (optional)"
        hint="Why it is started; shown with the instance."
        value={comment}
        onValue={setComment}
        maxLength={1000}
      />
    </FormDialog>
  );
}
