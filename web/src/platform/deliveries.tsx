import { api, withQuery } from '../api/client.ts';
import { useApi, useChange } from '../api/hooks.ts';
import type { Channel, Delivery } from '../api/types.ts';
import { Badge, type Tone } from '../design/badge.tsx';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { Select } from '../design/field.tsx';
import { OlderNewer } from '../design/older-newer.tsx';
import { EmptyState, Loaded, Loading } from '../design/states.tsx';
import { Table } from '../design/table.tsx';
import { Time } from '../design/time.tsx';
import { useToast } from '../design/toast.tsx';
import { useSession } from '../identity/session.tsx';
import { useCurrentTeam } from '../identity/teams.ts';
import { useSearchState } from '../routing/search-state.ts';
import { NoTeam } from './no-team.tsx';

const perPage = 50;
const tones: Record<Delivery['state'], Tone> = { pending: 'accent', sent: 'good', failed: 'bad' };

/** What was told, is to be told, and could not be told. */
export function Deliveries() {
  const { team, isKnown } = useCurrentTeam();
  const { hasRole, hasScope } = useSession();
  const [{ state, channel, before }, change] = useSearchState({ state: '', channel: '', before: '' });
  const channels = useApi<{ channels: Channel[] }>(team ? `/notification/channels?team_id=${team.id}` : null);
  const path = withQuery('/notification/deliveries', { team_id: team?.id, state, channel, before, limit: perPage });
  const query = useApi<{ deliveries: Delivery[]; next_before: number | null }>(team ? path : null, {
    keepPrevious: true,
    refreshMs: 10_000,
  });
  const toast = useToast();
  const resend = useChange(
    (id: string) => api.post(`/notification/deliveries/${id}/resend`),
    ['/notification/deliveries'],
  );
  if (!team) return isKnown ? <NoTeam /> : <Loading />;
  const nameOf = (id: string): string =>
    channels.data?.channels.find((one) => one.id === id)?.name ?? 'a deleted channel';
  const mayResend = hasScope('Write') && hasRole(team, 'manager');
  return (
    <>
      <div className="filters">
        <Select
          label="State"
          value={state}
          onValue={(next) => change({ state: next, before: '' })}
          options={[
            ['', 'All'],
            ['pending', 'On the way'],
            ['sent', 'Sent'],
            ['failed', 'Failed'],
          ]}
        />
        <Select
          label="Channel"
          value={channel}
          onValue={(next) => change({ channel: next, before: '' })}
          options={[
            ['', 'All channels'],
            ...(channels.data?.channels ?? []).map(({ id, name }) => [id, name] as const),
          ]}
        />
      </div>
      <Card title={`Deliveries of ${team.name}`} isFlush>
        <Loaded query={query}>
          {({ deliveries, next_before: next }) => (
            <>
              {deliveries.length === 0 ? (
                <EmptyState icon="send" title="Nothing was sent">
                  As soon as a channel has something to tell, it appears here, and stays for 30 days.
                </EmptyState>
              ) : (
                <Table
                  label="Deliveries"
                  rows={deliveries}
                  keyOf={({ id }) => id}
                  columns={[
                    {
                      head: 'What',
                      cell: (one) => (
                        <>
                          <span className="wrap-anywhere">{one.title}</span>
                          <br />
                          <span className="small muted">{one.event}</span>
                        </>
                      ),
                    },
                    { head: 'Channel', cell: (one) => nameOf(one.channel_id) },
                    {
                      head: 'State',
                      cell: (one) => (
                        <>
                          <Badge tone={tones[one.state]} dot>
                            {one.state}
                          </Badge>
                          {one.last_error && one.state !== 'sent' && (
                            <p className="small muted wrap-anywhere">{one.last_error}</p>
                          )}
                        </>
                      ),
                    },
                    { head: 'Attempts', isNumber: true, isNarrow: true, cell: (one) => one.attempts },
                    { head: 'Created', isNarrow: true, cell: (one) => <Time at={one.created_at} format="relative" /> },
                    {
                      head: 'Again',
                      isHeadUnseen: true,
                      isNarrow: true,
                      cell: (one) =>
                        mayResend &&
                        one.state !== 'pending' && (
                          <Button
                            isSmall
                            isBusy={resend.isPending && resend.variables === one.id}
                            aria-label={`Send again: ${one.title}`}
                            onClick={() =>
                              resend.mutate(one.id, {
                                onSuccess: () => toast.say('It is on its way again.'),
                                onError: toast.complain,
                              })
                            }
                          >
                            Send again
                          </Button>
                        ),
                    },
                  ]}
                />
              )}
              <OlderNewer
                isFirst={before === ''}
                next={next}
                onFirst={() => change({ before: '' })}
                onNext={(number) => change({ before: String(number) }, { push: true })}
              />
            </>
          )}
        </Loaded>
      </Card>
    </>
  );
}
