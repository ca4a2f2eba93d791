import { useState } from 'react';
import { Button } from '../../design/button.tsx';
import { TextField } from '../../design/field.tsx';

/** A label that is not in the graph yet may have a query already. */
export function AddLabel({ taken, onAdd }: { taken: readonly string[]; onAdd: (label: string) => void }) {
  const [label, setLabel] = useState('');
  const isTaken = taken.includes(label);
  return (
    <form
      className="row config-add"
      onSubmit={(event) => {
        event.preventDefault();
        if (isTaken) return;
        onAdd(label);
        setLabel('');
      }}
    >
      <TextField
        label="Another label"
        isLabelUnseen
        placeholder="Another label"
        value={label}
        onValue={setLabel}
        pattern="[A-Z][A-Za-z0-9]*"
        title="A capital letter, then letters and digits"
        error={isTaken ? 'It is there already.' : undefined}
        required
      />
      <Button type="submit" icon="plus">
        Add
      </Button>
    </form>
  );
}
