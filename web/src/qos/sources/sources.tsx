import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useApi, useChange } from '../../api/hooks.ts';
import type { IntegrationModel } from '../../api/types.ts';
import { Button } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { changeColumn } from '../../design/change-column.tsx';
import { Confirm } from '../../design/confirm.tsx';
import { EmptyState, Loaded } from '../../design/states.tsx';
import { Table } from '../../design/table.tsx';
import { Time } from '../../design/time.tsx';
import { IntegrationTry } from '../../platform/integration-try.tsx';
import type { Check, Source } from '../qos-types.ts';
import { useRights } from '../use-rights.ts';
import { SourceDialog } from './source-dialog.tsx';

/** Where measurements come from. */
export function Sources({ teamId }: { teamId: string }) {
  const path = `/v1/teams/${teamId}/sources`;
  const query = useApi<{ sources: Source[] }>(path);
  const checks = useApi<{ checks: Check[] }>(`/v1/teams/${teamId}/checks`);
  const models = useApi<IntegrationModel[]>('/integration/models', { staleMs: 60_000 });
  const [edited, setEdited] = useState<Source | 'new'>();
  const [doomed, setDoomed] = useState<Source>();
  const remove = useChange((id: string) => api.delete(`${path}/${id}`), [path]);
  const { mayEdit } = useRights();
  const titleOf = (name: string) => models.data?.find((model) => model.name === name)?.title ?? name;
  const add = mayEdit && (
    <Button variant="primary" icon="plus" onClick={() => setEdited('new')}>
      Add a source
    </Button>
  );
  return (
    <>
      <Card title="Sources" actions={add} isFlush>
        <Loaded query={query}>
          {({ sources }) =>
            sources.length === 0 ? (
              <EmptyState icon="platform" title="No source yet">
                Measurements come from Prometheus, InfluxDB, OpenTSDB or Warp 10, or programs post them.
              </EmptyState>
            ) : (
              <Table
                label="Sources"
                rows={sources}
                keyOf={({ id }) => id}
                columns={[
                  { head: 'Name', cell: ({ name }) => <strong className="wrap-anywhere">{name}</strong> },
                  { head: 'Model', cell: ({ model }) => titleOf(model) },
                  { head: 'Where', cell: (one) => <Where source={one} teamId={teamId} /> },
                  {
                    head: 'Checks',
                    isNumber: true,
                    isNarrow: true,
                    cell: ({ id }) => checks.data?.checks.filter(({ source }) => source === id).length ?? '',
                  },
                  { head: 'Changed', isNarrow: true, cell: (one) => <Time at={one.updated_at} format="relative" /> },
                  {
                    head: 'Try',
                    isHeadUnseen: true,
                    cell: ({ id, name }) =>
                      mayEdit && (
                        <IntegrationTry path={`/v1/teams/${teamId}/integrations/${id}`} name={name} canImport={false} />
                      ),
                  },
                  changeColumn<Source>(mayEdit, setEdited, setDoomed),
                ]}
              />
            )
          }
        </Loaded>
      </Card>
      {edited && models.data && (
        <SourceDialog
          path={path}
          models={models.data.filter(({ capabilities }) => capabilities.includes('metrics'))}
          source={edited === 'new' ? undefined : edited}
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
          It can be deleted only while no check uses it. Figures that were computed stay.
        </Confirm>
      )}
    </>
  );
}

function Where({ source, teamId }: { source: Source; teamId: string }) {
  const { url } = source.config;
  if (typeof url === 'string') return <span className="small wrap-anywhere">{url}</span>;
  return <code className="small wrap-anywhere">POST /v1/teams/{teamId}/measurements</code>;
}
