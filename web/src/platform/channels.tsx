import { useState } from 'react';
import { Link } from 'wouter';
import { api, withQuery } from '../api/client.ts';
import { useApi, useChange } from '../api/hooks.ts';
import type { Channel, ChannelTypes, Team } from '../api/types.ts';
import { Badge } from '../design/badge.tsx';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { changeColumn } from '../design/change-column.tsx';
import { Confirm } from '../design/confirm.tsx';
import { EmptyState, Loaded, Loading } from '../design/states.tsx';
import { Table } from '../design/table.tsx';
import { useSession } from '../identity/session.tsx';
import { useCurrentTeam } from '../identity/teams.ts';
import { platformPath } from '../routing/paths.ts';
import { ChannelDialog } from './channel-dialog.tsx';
import { ChannelTest } from './channel-test.tsx';
import { NoTeam } from './no-team.tsx';

export function Channels() {
  const { team, isKnown } = useCurrentTeam();
  if (!team) return isKnown ? <NoTeam /> : <Loading />;
  return <ChannelsOf key={team.id} team={team} />;
}

function ChannelsOf({ team }: { team: Team }) {
  const query = useApi<{ channels: Channel[] }>(`/notification/channels?team_id=${team.id}`);
  const types = useApi<ChannelTypes>('/notification/type', { staleMs: 600_000 });
  const { hasRole, hasScope } = useSession();
  const [edited, setEdited] = useState<Channel | 'new'>();
  const [doomed, setDoomed] = useState<Channel>();
  const remove = useChange((id: string) => api.delete(`/notification/channels/${id}`), ['/notification/']);
  const mayManage = hasScope('Write') && hasRole(team, 'manager');
  const add = mayManage && (
    <Button variant="primary" icon="plus" onClick={() => setEdited('new')}>
      Add a channel
    </Button>
  );
  return (
    <>
      <Card title={`Notification channels of ${team.name}`} actions={add} isFlush>
        <Loaded query={query}>
          {({ channels }) =>
            channels.length === 0 ? (
              <EmptyState icon="send" title="Nobody is told yet">
                A channel tells people or programs of failed workflows, silent services and lost quality: by webhook, in
                a chat, by mail.
              </EmptyState>
            ) : (
              <Table
                label="Channels"
                rows={channels}
                keyOf={({ id }) => id}
                columns={[
                  {
                    head: 'Name',
                    cell: (one) => (
                      <span className="row">
                        <strong className="wrap-anywhere">{one.name}</strong>
                        {!one.enabled && <Badge>switched off</Badge>}
                      </span>
                    ),
                  },
                  { head: 'Type', cell: (one) => types.data?.[one.type]?.title ?? one.type },
                  { head: 'Told of', cell: (one) => <Policies channel={one} /> },
                  {
                    head: 'Deliveries',
                    isHeadUnseen: true,
                    isNarrow: true,
                    cell: (one) => (
                      <Link href={withQuery(platformPath('deliveries'), { channel: one.id, team: team.id })}>
                        Deliveries
                      </Link>
                    ),
                  },
                  {
                    head: 'Test',
                    isHeadUnseen: true,
                    cell: (one) => mayManage && <ChannelTest channel={one} />,
                  },
                  changeColumn<Channel>(mayManage, setEdited, setDoomed),
                ]}
              />
            )
          }
        </Loaded>
      </Card>
      {edited && types.data && (
        <ChannelDialog
          teamId={team.id}
          types={types.data}
          channel={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
      {doomed && (
        <Confirm
          title={`Delete ${doomed.name}?`}
          submit="Delete"
          input={doomed.id}
          change={remove}
          onClose={() => setDoomed(undefined)}
        >
          Its deliveries are gone then too.
        </Confirm>
      )}
    </>
  );
}

function Policies({ channel }: { channel: Channel }) {
  const words = [
    ['failures', channel.on_failure],
    ['successes', channel.on_success],
    ['starts', channel.on_start],
  ].flatMap(([what, policy]) =>
    policy === 'never' ? [] : policy === 'change' ? [`${what} on change`] : [`all ${what}`],
  );
  const filters = Object.entries(channel.filters).flatMap(([what, globs]) =>
    globs && globs.length > 0 ? [`${what}: ${globs.join(', ')}`] : [],
  );
  return (
    <span>
      {words.join(', ') || 'nothing'}
      {filters.length > 0 && <span className="small muted wrap-anywhere"> ({filters.join('; ')})</span>}
    </span>
  );
}
