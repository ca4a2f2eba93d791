import { useState } from 'react';
import { api } from '../api/client.ts';
import { useApi, useChange } from '../api/hooks.ts';
import type { Token, User } from '../api/types.ts';
import { Badge } from '../design/badge.tsx';
import { Button, IconButton } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { Confirm } from '../design/confirm.tsx';
import { Select } from '../design/field.tsx';
import { EmptyState, Loaded } from '../design/states.tsx';
import { Table } from '../design/table.tsx';
import { Time, useNow } from '../design/time.tsx';
import { useSession } from '../identity/session.tsx';
import { useSearchState } from '../routing/search-state.ts';
import { NewTokenDialog } from './new-token-dialog.tsx';

/** One's own tokens; administrators see and make those of others too. */
export function Tokens() {
  const { user: me, hasScope } = useSession();
  const isAdmin = hasScope('Admin');
  const [{ user }, change] = useSearchState({ user: '' });
  const users = useApi<{ users: User[] }>(isAdmin ? '/v1/users' : null);
  const ofOther = isAdmin && user !== '' && user !== me.id;
  const path = ofOther ? `/v1/users/${user}/tokens` : '/v1/users/me/tokens';
  const owner = ofOther ? (users.data?.users.find(({ id }) => id === user)?.name ?? 'this user') : me.name;
  return (
    <>
      {isAdmin && (
        <div className="filters">
          <Select
            label="User"
            value={user}
            options={[
              ['', `${me.name} (you)`],
              ...(users.data?.users ?? []).filter(({ id }) => id !== me.id).map(({ id, name }) => [id, name] as const),
            ]}
            onValue={(next) => change({ user: next })}
          />
        </div>
      )}
      <TokensOf key={path} path={path} owner={owner} />
    </>
  );
}

function TokensOf({ path, owner }: { path: string; owner: string }) {
  const query = useApi<{ tokens: Token[] }>(path);
  const { hasScope } = useSession();
  const [isCreating, setIsCreating] = useState(false);
  const [doomed, setDoomed] = useState<Token>();
  const revoke = useChange((id: string) => api.delete(`${path}/${id}`), ['/v1/users']);
  const mayChange = hasScope('Write');
  return (
    <>
      <Card
        title={`Tokens of ${owner}`}
        isFlush
        actions={
          mayChange && (
            <Button variant="primary" icon="plus" onClick={() => setIsCreating(true)}>
              Create a token
            </Button>
          )
        }
      >
        <Loaded query={query}>
          {({ tokens }) =>
            tokens.length === 0 ? (
              <EmptyState icon="key" title="No token">
                Programs, the command line and workers prove with a token who they are.
              </EmptyState>
            ) : (
              <Table
                label="Tokens"
                rows={tokens}
                keyOf={({ id }) => id}
                columns={[
                  { head: 'Name', cell: (token) => <strong className="wrap-anywhere">{token.name}</strong> },
                  {
                    head: 'Begins with',
                    cell: (token) =>
                      token.prefix.startsWith('#') ? 'what the operator set' : <code>{token.prefix}…</code>,
                  },
                  {
                    head: 'Scopes',
                    cell: (token) => (
                      <span className="row">
                        {token.scopes.map((scope) => (
                          <Badge key={scope} tone={scope === 'Admin' ? 'warn' : 'quiet'}>
                            {scope}
                          </Badge>
                        ))}
                      </span>
                    ),
                  },
                  {
                    head: 'Created',
                    isNarrow: true,
                    cell: (token) => <Time at={token.created_at} format="relative" />,
                  },
                  { head: 'Expires', isNarrow: true, cell: (token) => <Expiry at={token.expires_at} /> },
                  {
                    head: 'Last used',
                    isNarrow: true,
                    cell: (token) =>
                      token.last_used_at ? <Time at={token.last_used_at} format="relative" /> : 'never',
                  },
                  {
                    head: 'Revoke',
                    isHeadUnseen: true,
                    isNarrow: true,
                    cell: (token) =>
                      mayChange && (
                        <IconButton label={`Revoke ${token.name}`} icon="trash" onClick={() => setDoomed(token)} />
                      ),
                  },
                ]}
              />
            )
          }
        </Loaded>
      </Card>
      {isCreating && <NewTokenDialog path={path} owner={owner} onClose={() => setIsCreating(false)} />}
      {doomed && (
        <Confirm
          title={`Revoke ${doomed.name}?`}
          submit="Revoke"
          input={doomed.id}
          change={revoke}
          onClose={() => setDoomed(undefined)}
        >
          Whoever uses it, and whoever signed in with it, is refused from now on.
        </Confirm>
      )}
    </>
  );
}

function Expiry({ at }: { at: string | null }) {
  const now = useNow();
  if (at === null) return 'never';
  if (Date.parse(at) < now) return <Badge tone="bad">expired</Badge>;
  return <Time at={at} format="relative" />;
}
