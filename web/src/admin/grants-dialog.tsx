import { useState } from 'react';
import { api } from '../api/client.ts';
import { useApi, useChange } from '../api/hooks.ts';
import type { Grant, Role, Team, User } from '../api/types.ts';
import { Button, IconButton } from '../design/button.tsx';
import { Dialog, FormDialog } from '../design/dialog.tsx';
import { Select } from '../design/field.tsx';
import { Loaded } from '../design/states.tsx';
import { useToast } from '../design/toast.tsx';
import { useSession } from '../identity/session.tsx';
import './grants.css';

const roles: readonly (readonly [Role, string])[] = [
  ['member', 'Member: reads'],
  ['editor', 'Editor: also writes the graph and rules'],
  ['manager', 'Manager: also deletes, configures and grants'],
];

/** Who may do what in a team. All of it is saved together, as the interface has it. */
export function GrantsDialog({ team, onClose }: { team: Team; onClose: () => void }) {
  const path = `/v1/teams/${team.id}/grants`;
  const grants = useApi<{ grants: Grant[] }>(path);
  const { hasRole, hasScope } = useSession();
  const title = `Grants of ${team.name}`;
  if (!grants.data) {
    return (
      <Dialog title={title} onClose={onClose}>
        <div className="dialog-body">
          <Loaded query={grants}>{() => null}</Loaded>
        </div>
      </Dialog>
    );
  }
  if (hasScope('Write') && hasRole(team, 'manager')) {
    return <Editor title={title} path={path} stored={grants.data.grants} onClose={onClose} />;
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <ul className="dialog-body stack">
        {grants.data.grants.map(({ user, role }) => (
          <li key={user}>
            <strong>{user}</strong>, {role}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function Editor({
  title,
  path,
  stored,
  onClose,
}: {
  title: string;
  path: string;
  stored: Grant[];
  onClose: () => void;
}) {
  const users = useApi<{ users: User[] }>('/v1/users');
  const [list, setList] = useState(stored);
  const [newcomer, setNewcomer] = useState('');
  const toast = useToast();
  const save = useChange(() => api.put(path, { grants: list }), [path, '/v1/users/me']);
  const others = (users.data?.users ?? []).filter(({ name }) => !list.some(({ user }) => user === name));
  const submit = (): void =>
    save.mutate(undefined, {
      onSuccess: () => {
        toast.say('The grants are saved.');
        onClose();
      },
    });
  return (
    <FormDialog
      title={title}
      submit="Save"
      isBusy={save.isPending}
      error={save.error}
      onSubmit={submit}
      onClose={onClose}
    >
      {list.length === 0 && (
        <p className="muted">Nobody has a place here yet; administrators see the team all the same.</p>
      )}
      <ul className="grants">
        {list.map(({ user, role }) => (
          <li key={user}>
            <strong className="wrap-anywhere">{user}</strong>
            <Select
              label={`Role of ${user}`}
              isLabelUnseen
              value={role}
              options={roles}
              // Only roles are offered.
              onValue={(next) => setList(list.map((one) => (one.user === user ? { user, role: next as Role } : one)))}
            />
            <IconButton
              label={`Take ${user} out`}
              icon="close"
              onClick={() => setList(list.filter((one) => one.user !== user))}
            />
          </li>
        ))}
      </ul>
      <div className="grants-add">
        <Select
          label="Somebody else"
          value={newcomer}
          options={[['', 'Choose a user'], ...others.map(({ name }) => name)]}
          onValue={setNewcomer}
        />
        <Button
          icon="plus"
          disabled={newcomer === ''}
          onClick={() => {
            setList([...list, { user: newcomer, role: 'member' }]);
            setNewcomer('');
          }}
        >
          Add
        </Button>
      </div>
    </FormDialog>
  );
}
