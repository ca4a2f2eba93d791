import { useState } from 'react';
import { Link } from 'wouter';
import { api } from '../../api/client.ts';
import { useApi, useChange } from '../../api/hooks.ts';
import { Button, ButtonLink } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { changeColumn } from '../../design/change-column.tsx';
import { Confirm } from '../../design/confirm.tsx';
import { EmptyState, Loaded } from '../../design/states.tsx';
import { Table } from '../../design/table.tsx';
import { qosPath } from '../../routing/paths.ts';
import type { Check, Source } from '../qos-types.ts';
import { useRights } from '../use-rights.ts';
import { CheckDialog } from './check-dialog.tsx';
import { describeThreshold } from './threshold-words.ts';

/** Queries on sources, and which values are good. */
export function Checks({ teamId }: { teamId: string }) {
  const path = `/v1/teams/${teamId}/checks`;
  const query = useApi<{ checks: Check[] }>(path);
  const sources = useApi<{ sources: Source[] }>(`/v1/teams/${teamId}/sources`);
  const [edited, setEdited] = useState<Check | 'new'>();
  const [doomed, setDoomed] = useState<Check>();
  const remove = useChange((id: string) => api.delete(`${path}/${id}`), [path, `/v1/teams/${teamId}/rules`]);
  const { mayEdit } = useRights();
  const hasSource = (sources.data?.sources.length ?? 0) > 0;
  const add = mayEdit && hasSource && (
    <Button variant="primary" icon="plus" onClick={() => setEdited('new')}>
      Add a check
    </Button>
  );
  return (
    <>
      <Card title="Checks" actions={add} isFlush>
        <Loaded query={query}>
          {({ checks }) =>
            checks.length === 0 ? (
              <EmptyState
                icon="quality"
                title="No check yet"
                action={!hasSource && <ButtonLink href={qosPath(teamId, '/sources')}>Add a source first</ButtonLink>}
              >
                A check asks a source for measurements of a node, and says which values are good.
              </EmptyState>
            ) : (
              <Table
                label="Checks"
                rows={checks}
                keyOf={({ id }) => id}
                columns={[
                  {
                    head: 'Name',
                    cell: ({ name, description }) => (
                      <>
                        <strong className="wrap-anywhere">{name}</strong>
                        {description && <div className="small muted">{description}</div>}
                      </>
                    ),
                  },
                  { head: 'Good while the value is', cell: ({ threshold }) => describeThreshold(threshold) },
                  { head: 'Source', cell: (one) => one.source_name },
                  {
                    head: 'Query',
                    cell: ({ query: text }) =>
                      text === '' ? (
                        <span className="muted">posted</span>
                      ) : (
                        <code className="small wrap-anywhere">{text}</code>
                      ),
                  },
                  {
                    head: 'Rules',
                    cell: ({ rules }) => (
                      <span className="row">
                        {rules.map(({ id, name }) => (
                          <Link key={id} href={qosPath(teamId, `/rules/${id}`)}>
                            {name}
                          </Link>
                        ))}
                      </span>
                    ),
                  },
                  changeColumn<Check>(mayEdit, setEdited, setDoomed),
                ]}
              />
            )
          }
        </Loaded>
      </Card>
      {edited && sources.data && (
        <CheckDialog
          teamId={teamId}
          sources={sources.data.sources}
          check={edited === 'new' ? undefined : edited}
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
          It can be deleted only while no rule of the configuration uses it. Its measurements are gone then; figures
          that were computed stay.
        </Confirm>
      )}
    </>
  );
}
