import { type ReactNode, useState } from 'react';
import type { ErrorDetail } from '../api/client.ts';
import { Button, IconButton } from './button.tsx';
import './map-field.css';

type Row = { id: number; name: string; text: string };

/** Names and texts, as many as wanted. Rows without a name are not passed on. */
export function MapField({
  label,
  hint,
  value,
  onChange,
  errors = [],
  path = '',
}: {
  label: string;
  hint?: ReactNode;
  value: Readonly<Record<string, string>>;
  onChange: (value: Record<string, string>) => void;
  errors?: readonly ErrorDetail[];
  path?: string;
}) {
  // Kept here while it is written: two rows may have the same name for a moment, or none.
  const [rows, setRows] = useState<Row[]>(() => Object.entries(value).map(([name, text], id) => ({ id, name, text })));
  const change = (next: Row[]): void => {
    setRows(next);
    onChange(Object.fromEntries(next.filter(({ name }) => name !== '').map(({ name, text }) => [name, text])));
  };
  const edit = (id: number, part: Partial<Row>): void =>
    change(rows.map((row) => (row.id === id ? { ...row, ...part } : row)));
  const add = (): void => setRows([...rows, { id: Math.max(-1, ...rows.map(({ id }) => id)) + 1, name: '', text: '' }]);
  const faults = errors.filter((one) => one.path === path || one.path.startsWith(`${path}.`));
  return (
    <fieldset className="map-field">
      <legend>{label}</legend>
      {hint && <p className="field-hint">{hint}</p>}
      {rows.map(({ id, name, text }) => (
        <div key={id} className="map-row">
          <input
            className="input"
            aria-label="Name"
            placeholder="Name"
            value={name}
            spellCheck={false}
            onChange={(event) => edit(id, { name: event.target.value })}
          />
          <input
            className="input"
            aria-label={name === '' ? 'Value' : `Value of ${name}`}
            placeholder="Value"
            value={text}
            onChange={(event) => edit(id, { text: event.target.value })}
          />
          <IconButton
            label={name === '' ? 'Remove' : `Remove ${name}`}
            icon="trash"
            onClick={() => change(rows.filter((row) => row.id !== id))}
          />
        </div>
      ))}
      {faults.map(({ path: place, message }) => (
        <p key={`${place} ${message}`} className="field-error">
          {place.slice(path.length + 1)} {message}
        </p>
      ))}
      <div>
        <Button isSmall icon="plus" onClick={add}>
          Add a variable
        </Button>
      </div>
    </fieldset>
  );
}
