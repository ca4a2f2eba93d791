import { useState } from 'react';
import { api } from '../api/client.ts';
import { useApi, useChange } from '../api/hooks.ts';
import type { Integration, IntegrationModel, Team } from '../api/types.ts';
import { Badge } from '../design/badge.tsx';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { changeColumn } from '../design/change-column.tsx';
import { Confirm } from '../design/confirm.tsx';
import { EmptyState, Loaded, Loading } from '../design/states.tsx';
import { Table } from '../design/table.tsx';
import { Time } from '../design/time.tsx';
import { useSession } from '../identity/session.tsx';
import { useCurrentTeam } from '../identity/teams.ts';
import { IntegrationDialog } from './integration-dialog.tsx';
import { IntegrationTry } from './integration-try.tsx';
import { NoTeam } from './no-team.tsx';

export function Integrations() {
  const { team, isKnown } = useCurrentTeam();
  if (!team) return isKnown ? <NoTeam /> : <Loading />;
  return <IntegrationsOf key={team.id} team={team} />;
}

function IntegrationsOf({ team }: { team: Team }) {
  const path = `/v1/teams/${team.id}/integrations`;
  const query = useApi<{ integrations: Integration[] }>(path);
  const models = useApi<IntegrationModel[]>('/integration/models', { staleMs: 60_000 });
  const { hasRole, hasScope } = useSession();
  const [edited, setEdited] = useState<Integration | 'new'>();
  const [doomed, setDoomed] = useState<Integration>();
  const remove = useChange((id: string) => api.delete(`${path}/${id}`), [path]);
  const modelOf = (one: Integration) => models.data?.find(({ name }) => name === one.model);
  const mayManage = hasScope('Write') && hasRole(team, 'manager');
  const mayTry = hasScope('Write') && hasRole(team, 'editor');
  const add = mayManage && (
    <Button variant="primary" icon="plus" onClick={() => setEdited('new')}>
      Add an integration
    </Button>
  );
  return (
    <>
      <Card title={`Integrations of ${team.name}`} actions={add} isFlush>
        <Loaded query={query}>
          {({ integrations }) =>
            integrations.length === 0 ? (
              <EmptyState icon="platform" title="No integration yet">
                Integrations read measurements, fetch a graph, or carry notifications: Prometheus, InfluxDB, a file of
                messages at an address, and others.
              </EmptyState>
            ) : (
              <Table
                label="Integrations"
                rows={integrations}
                keyOf={({ id }) => id}
                columns={[
                  { head: 'Name', cell: ({ name }) => <strong className="wrap-anywhere">{name}</strong> },
                  { head: 'Model', cell: (one) => modelOf(one)?.title ?? one.model },
                  {
                    head: 'For',
                    cell: (one) => (
                      <span className="row">
                        {purposesOf(modelOf(one)).map((purpose) => (
                          <Badge key={purpose}>{purpose}</Badge>
                        ))}
                      </span>
                    ),
                  },
                  { head: 'Changed', isNarrow: true, cell: (one) => <Time at={one.updated_at} format="relative" /> },
                  {
                    head: 'Try',
                    isHeadUnseen: true,
                    cell: (one) =>
                      mayTry && (
                        <IntegrationTry
                          path={`${path}/${one.id}`}
                          name={one.name}
                          canImport={modelOf(one)?.capabilities.includes('graph-import') ?? false}
                        />
                      ),
                  },
                  changeColumn<Integration>(mayManage, setEdited, setDoomed),
                ]}
              />
            )
          }
        </Loaded>
      </Card>
      {edited && models.data && (
        <IntegrationDialog
          path={path}
          models={models.data}
          integration={edited === 'new' ? undefined : edited}
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
          Its configuration and secrets are gone then. What it brought into the graph stays.
        </Confirm>
      )}
    </>
  );
}

const purposes: Record<string, string> = { metrics: 'measurements', 'graph-import': 'graph', notify: 'notifications' };

const purposesOf = (model: IntegrationModel | undefined): string[] =>
  (model?.capabilities ?? []).flatMap((capability) => purposes[capability] ?? []);
