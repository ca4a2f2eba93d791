import { useState } from 'react';
import { Link } from 'wouter';
import { api } from '../api/client.ts';
import { useChange } from '../api/hooks.ts';
import type { Team } from '../api/types.ts';
import { Button, IconButton } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { Confirm } from '../design/confirm.tsx';
import { FormDialog } from '../design/dialog.tsx';
import { TextField } from '../design/field.tsx';
import { EmptyState } from '../design/states.tsx';
import { Table } from '../design/table.tsx';
import { Time } from '../design/time.tsx';
import { useSession } from '../identity/session.tsx';
import { useCurrentTeam } from '../identity/teams.ts';
import { teamPath } from '../routing/paths.ts';
import { useSearchState } from '../routing/search-state.ts';
import { GrantsDialog } from './grants-dialog.tsx';

export function Teams() {
  const { teams } = useCurrentTeam();
  const { hasScope, hasRole, user } = useSession();
  const [{ grants }, change] = useSearchState({ grants: '' });
  const [named, setNamed] = useState<Team | 'new'>();
  const [doomed, setDoomed] = useState<Team>();
  const remove = useChange((id: string) => api.delete(`/v1/teams/${id}`), ['/v1/teams', '/v1/users/me']);
  const isAdmin = hasScope('Admin');
  const granted = teams.find(({ id }) => id === grants);
  return (
    <>
      <Card
        title="Teams"
        isFlush
        actions={
          isAdmin && (
            <Button variant="primary" icon="plus" onClick={() => setNamed('new')}>
              Create a team
            </Button>
          )
        }
      >
        {teams.length === 0 ? (
          <EmptyState icon="admin" title="There is no team">
            A team owns a dependency graph, its quality of service, integrations and channels.
          </EmptyState>
        ) : (
          <Table
            label="Teams"
            rows={teams}
            keyOf={({ id }) => id}
            columns={[
              {
                head: 'Name',
                cell: (team) => (
                  <Link href={teamPath(team.id)} className="wrap-anywhere">
                    {team.name}
                  </Link>
                ),
              },
              {
                head: 'Your role',
                cell: (team) => user.grants[team.name] ?? (user.admin ? 'administrator' : ''),
              },
              { head: 'Created', isNarrow: true, cell: (team) => <Time at={team.createdAt} /> },
              {
                head: 'Change',
                isHeadUnseen: true,
                isNarrow: true,
                cell: (team) => (
                  <span className="actions">
                    <Button
                      isSmall
                      aria-label={`Grants of ${team.name}`}
                      onClick={() => change({ grants: team.id }, { push: true })}
                    >
                      Grants
                    </Button>
                    {hasScope('Write') && hasRole(team, 'manager') && (
                      <IconButton label={`Rename ${team.name}`} icon="edit" onClick={() => setNamed(team)} />
                    )}
                    {isAdmin && (
                      <IconButton label={`Delete ${team.name}`} icon="trash" onClick={() => setDoomed(team)} />
                    )}
                  </span>
                ),
              },
            ]}
          />
        )}
      </Card>
      {named && <TeamName team={named === 'new' ? undefined : named} onClose={() => setNamed(undefined)} />}
      {granted && <GrantsDialog team={granted} onClose={() => change({ grants: '' })} />}
      {doomed && (
        <Confirm
          title={`Delete ${doomed.name}?`}
          submit="Delete the team and all it owns"
          input={doomed.id}
          change={remove}
          onClose={() => setDoomed(undefined)}
        >
          Its graph, quality of service, integrations, channels and grants are gone then, for everybody. This cannot be
          undone.
        </Confirm>
      )}
    </>
  );
}

function TeamName({ team, onClose }: { team: Team | undefined; onClose: () => void }) {
  const [name, setName] = useState(team?.name ?? '');
  const save = useChange(
    () => (team ? api.patch(`/v1/teams/${team.id}`, { name }) : api.post('/v1/teams', { name })),
    ['/v1/teams', '/v1/users/me'],
  );
  return (
    <FormDialog
      title={team ? `Rename ${team.name}` : 'Create a team'}
      submit={team ? 'Rename' : 'Create'}
      isBusy={save.isPending}
      error={save.error}
      onSubmit={() => save.mutate(undefined, { onSuccess: onClose })}
      onClose={onClose}
    >
      <TextField label="Name" value={name} onValue={setName} required maxLength={255} autoComplete="off" />
    </FormDialog>
  );
}
