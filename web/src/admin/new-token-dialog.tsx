import { useState } from 'react';
import { api } from '../api/client.ts';
import { useChange } from '../api/hooks.ts';
import type { CreatedToken, Scope } from '../api/types.ts';
import { Button } from '../design/button.tsx';
import { Dialog, FormDialog } from '../design/dialog.tsx';
import { Checkbox, Select, TextField } from '../design/field.tsx';
import { useToast } from '../design/toast.tsx';
import { useSession } from '../identity/session.tsx';

const scopes: readonly (readonly [Scope, string])[] = [
  ['Read', 'Sees graphs, figures, workflows, news.'],
  ['Write', 'Changes what its user may change.'],
  ['Service', 'Reports services, and works on tasks.'],
  ['Admin', 'Manages users, teams and the audit log, if its user is an administrator.'],
];
const lifetimes = [
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', 'A year'],
  ['', 'Never expires'],
] as const;
const dayMs = 86_400_000;

export function NewTokenDialog({ path, owner, onClose }: { path: string; owner: string; onClose: () => void }) {
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<Scope[]>(['Read']);
  const [days, setDays] = useState('90');
  const { hasScope, user } = useSession();
  const create = useChange(
    () =>
      api.post<CreatedToken>(path, {
        name,
        scopes: chosen,
        expires_at: days === '' ? null : new Date(Date.now() + Number(days) * dayMs).toISOString(),
      }),
    ['/v1/users'],
  );
  if (create.data) return <Shown token={create.data} onClose={onClose} />;
  return (
    <FormDialog
      title={`Create a token for ${owner}`}
      submit="Create"
      isBusy={create.isPending}
      error={create.error}
      onSubmit={() => create.mutate()}
      onClose={onClose}
    >
      <TextField
        label="Name"
        value={name}
        onValue={setName}
        required
        maxLength={255}
        autoComplete="off"
        hint="What it is for, so that one dares to revoke it later."
      />
      <fieldset className="fieldset">
        <legend>Scopes</legend>
        {scopes.map(([scope, hint]) => (
          <Checkbox
            key={scope}
            label={scope}
            hint={hint}
            isChecked={chosen.includes(scope)}
            // No token can make one that may more than itself.
            disabled={!(scope === 'Admin' ? hasScope('Admin') : user.scopes.includes(scope))}
            onChecked={(isChecked) =>
              setChosen(scopes.map(([one]) => one).filter((one) => (one === scope ? isChecked : chosen.includes(one))))
            }
          />
        ))}
      </fieldset>
      <Select label="Expires" value={days} options={lifetimes} onValue={setDays} />
    </FormDialog>
  );
}

function Shown({ token, onClose }: { token: CreatedToken; onClose: () => void }) {
  const toast = useToast();
  const copy = (): void =>
    void navigator.clipboard.writeText(token.token).then(() => toast.say('The token is copied.'), toast.complain);
  return (
    <Dialog title={`Token ${token.name}`} onClose={onClose}>
      <div className="dialog-body stack">
        <p>This is the token. It is shown here once and never again: copy it now.</p>
        <TextField label="Token" value={token.token} onValue={() => undefined} readOnly spellCheck={false} />
      </div>
      <footer className="dialog-foot">
        <Button icon="copy" onClick={copy}>
          Copy
        </Button>
        <Button variant="primary" onClick={onClose}>
          Done
        </Button>
      </footer>
    </Dialog>
  );
}
