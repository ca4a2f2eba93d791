import { useState } from 'react';
import { Link } from 'wouter';
import { api, withQuery } from '../api/client.ts';
import { useApi, useChange } from '../api/hooks.ts';
import type { AdministeredUser } from '../api/types.ts';
import { Badge } from '../design/badge.tsx';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { FormDialog } from '../design/dialog.tsx';
import { Checkbox, TextField } from '../design/field.tsx';
import { Loaded } from '../design/states.tsx';
import { Table } from '../design/table.tsx';
import { Time } from '../design/time.tsx';
import { useToast } from '../design/toast.tsx';
import { adminPath } from '../routing/paths.ts';
import { useSearchState } from '../routing/search-state.ts';

export function Users() {
  const query = useApi<{ users: AdministeredUser[] }>('/v1/users/administered');
  const [{ name }, change] = useSearchState({ name: '' });
  const [isCreating, setIsCreating] = useState(false);
  const toast = useToast();
  const update = useChange(
    ({ id, ...changes }: { id: string; disabled?: boolean; admin?: boolean }) => api.patch(`/v1/users/${id}`, changes),
    ['/v1/users'],
  );
  const set = (id: string, changes: { disabled?: boolean; admin?: boolean }): void =>
    update.mutate({ id, ...changes }, { onSuccess: () => toast.say('It is changed.'), onError: toast.complain });
  const isMatch = (user: AdministeredUser): boolean => user.name.toLowerCase().includes(name.toLowerCase());
  return (
    <>
      <div className="filters">
        <TextField label="Name contains" type="search" value={name} onValue={(next) => change({ name: next })} />
      </div>
      <Card
        title="Users"
        isFlush
        actions={
          <Button variant="primary" icon="plus" onClick={() => setIsCreating(true)}>
            Create a user
          </Button>
        }
      >
        <Loaded query={query}>
          {({ users }) => (
            <Table
              label="Users"
              rows={users.filter(isMatch)}
              keyOf={({ id }) => id}
              columns={[
                {
                  head: 'Name',
                  cell: (user) => (
                    <span className="row">
                      <strong className="wrap-anywhere">{user.name}</strong>
                      {user.admin && <Badge tone="accent">administrator</Badge>}
                      {user.disabled && <Badge tone="bad">disabled</Badge>}
                    </span>
                  ),
                },
                { head: 'Created', isNarrow: true, cell: (user) => <Time at={user.createdAt} /> },
                {
                  head: 'Tokens',
                  isHeadUnseen: true,
                  isNarrow: true,
                  cell: (user) => (
                    <Link
                      href={withQuery(adminPath('tokens'), { user: user.id })}
                      aria-label={`Tokens of ${user.name}`}
                    >
                      Tokens
                    </Link>
                  ),
                },
                {
                  head: 'Change',
                  isHeadUnseen: true,
                  isNarrow: true,
                  cell: (user) => (
                    <span className="actions">
                      <Button
                        isSmall
                        disabled={update.isPending}
                        aria-label={`Make ${user.admin ? 'a plain user' : 'an administrator'} of ${user.name}`}
                        onClick={() => set(user.id, { admin: !user.admin })}
                      >
                        {user.admin ? 'Make a plain user' : 'Make an administrator'}
                      </Button>
                      <Button
                        isSmall
                        disabled={update.isPending}
                        aria-label={user.disabled ? `Enable ${user.name}` : `Disable ${user.name}`}
                        onClick={() => set(user.id, { disabled: !user.disabled })}
                      >
                        {user.disabled ? 'Enable' : 'Disable'}
                      </Button>
                    </span>
                  ),
                },
              ]}
            />
          )}
        </Loaded>
      </Card>
      {isCreating && <NewUser onClose={() => setIsCreating(false)} />}
    </>
  );
}

function NewUser({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  const [isAdmin, setIsAdmin] = useState(false);
  const toast = useToast();
  const create = useChange(() => api.post('/v1/users', { name, admin: isAdmin }), ['/v1/users']);
  const submit = (): void =>
    create.mutate(undefined, {
      onSuccess: () => {
        toast.say(`${name} is created. A token, or your provider, lets them in.`);
        onClose();
      },
    });
  return (
    <FormDialog
      title="Create a user"
      submit="Create"
      isBusy={create.isPending}
      error={create.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField label="Name" value={name} onValue={setName} required maxLength={255} autoComplete="off" />
      <Checkbox
        label="Administrator"
        hint="May see and do everything in every team, and manage users."
        isChecked={isAdmin}
        onChecked={setIsAdmin}
      />
    </FormDialog>
  );
}
