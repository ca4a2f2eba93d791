import { useState } from 'react';
import { Link } from 'wouter';
import { api } from '../../api/client.ts';
import { useApi, useChange } from '../../api/hooks.ts';
import type { Label } from '../../api/types.ts';
import { Badge } from '../../design/badge.tsx';
import { Button, IconButton } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { Confirm } from '../../design/confirm.tsx';
import { EmptyState, Loaded } from '../../design/states.tsx';
import { Table } from '../../design/table.tsx';
import { qosPath } from '../../routing/paths.ts';
import { BudgetBar } from '../budget-bar.tsx';
import { formatDay, formatMinutes } from '../figures.ts';
import { Percent } from '../percent.tsx';
import type { Objective } from '../qos-types.ts';
import { useRights } from '../use-rights.ts';
import { BurnRate } from './burn-rate.tsx';
import { ObjectiveDialog } from './objective-dialog.tsx';

/** What labels should reach, what that allows them to fail, and how fast they use it up. */
export function Objectives({ teamId }: { teamId: string }) {
  const path = `/v1/teams/${teamId}/qos/objectives`;
  const query = useApi<{ objectives: Objective[] }>(path, { refreshMs: 60_000 });
  const labels = useApi<Label[]>(`/v1/teams/${teamId}/labels`);
  const [edited, setEdited] = useState<Objective | 'new'>();
  const [doomed, setDoomed] = useState<Objective>();
  const remove = useChange((label: string) => api.delete(`${path}/${label}`), [path]);
  const { mayEdit } = useRights();
  const add = mayEdit && (
    <Button variant="primary" icon="plus" onClick={() => setEdited('new')}>
      Add an objective
    </Button>
  );
  return (
    <>
      <Card title="Objectives" actions={add} isFlush>
        <Loaded query={query}>
          {({ objectives }) =>
            objectives.length === 0 ? (
              <EmptyState icon="quality" title="No objective yet">
                An objective says what a label should reach over some days. What it allows to fail is the error budget;
                when a label crosses it, notification channels are told.
              </EmptyState>
            ) : (
              <Table
                label="Objectives"
                rows={objectives}
                keyOf={({ label }) => label}
                columns={[
                  {
                    head: 'Label',
                    cell: ({ label }) => (
                      <Link href={qosPath(teamId, `/labels/${label}`)}>
                        <strong>{label}</strong>
                      </Link>
                    ),
                  },
                  {
                    head: 'Objective',
                    isNarrow: true,
                    cell: ({ target, window_days: days }) => (
                      <span className="numbers">
                        {target} % <span className="muted">over {days === 1 ? 'a day' : `${days} days`}</span>
                      </span>
                    ),
                  },
                  { head: 'Reached', isNarrow: true, cell: (one) => <Reached objective={one} /> },
                  {
                    head: 'Error budget',
                    cell: (one) => (
                      <>
                        <BudgetBar objective={one} />
                        <span className="small muted numbers">
                          {formatMinutes(one.budget.spent_minutes)} of {formatMinutes(one.budget.allowed_minutes)} spent
                          since {formatDay(one.budget.from)}
                        </span>
                      </>
                    ),
                  },
                  { head: 'Burn rate', cell: ({ budget }) => <BurnRate rate={budget.burn_rate} /> },
                  {
                    head: 'Change',
                    isHeadUnseen: true,
                    isNarrow: true,
                    cell: (one) =>
                      mayEdit && (
                        <span className="actions">
                          <IconButton
                            label={`Edit the objective of ${one.label}`}
                            icon="edit"
                            onClick={() => setEdited(one)}
                          />
                          <IconButton
                            label={`Delete the objective of ${one.label}`}
                            icon="trash"
                            onClick={() => setDoomed(one)}
                          />
                        </span>
                      ),
                  },
                ]}
              />
            )
          }
        </Loaded>
      </Card>
      {edited && (
        <ObjectiveDialog
          path={path}
          objective={edited === 'new' ? undefined : edited}
          labels={(labels.data ?? [])
            .map(({ name }) => name)
            .filter((name) => !query.data?.objectives.some(({ label }) => label === name))}
          onClose={() => setEdited(undefined)}
        />
      )}
      {doomed && (
        <Confirm
          title={`Delete the objective of ${doomed.label}?`}
          submit="Delete"
          input={doomed.label}
          change={remove}
          onClose={() => setDoomed(undefined)}
        >
          Its figures stay; nobody is told any more when it falls below {doomed.target} %.
        </Confirm>
      )}
    </>
  );
}

function Reached({ objective: { target, budget } }: { objective: Objective }) {
  return (
    <span className="row">
      <Percent value={budget.value} target={target} />
      {budget.met !== null && <Badge tone={budget.met ? 'good' : 'bad'}>{budget.met ? 'met' : 'missed'}</Badge>}
    </span>
  );
}
