import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { useApi } from '../../api/hooks.ts';
import type { Label } from '../../api/types.ts';
import { Button } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { EmptyState, Loaded } from '../../design/states.tsx';
import { Table } from '../../design/table.tsx';
import { qosPath } from '../../routing/paths.ts';
import type { Rule } from '../qos-types.ts';
import { useRights } from '../use-rights.ts';
import { labelsUsing } from './labels-using.ts';
import { RuleDialog } from './rule-dialog.tsx';

/** What a node of a label must fulfil to be good. */
export function Rules({ teamId }: { teamId: string }) {
  const query = useApi<{ rules: Rule[] }>(`/v1/teams/${teamId}/rules`);
  const labels = useApi<Label[]>(`/v1/teams/${teamId}/labels`);
  const [isAdding, setIsAdding] = useState(false);
  const [, navigate] = useLocation();
  const { mayEdit } = useRights();
  const add = mayEdit && (
    <Button variant="primary" icon="plus" onClick={() => setIsAdding(true)}>
      Add a rule
    </Button>
  );
  const pathOf = ({ id }: Pick<Rule, 'id'>): string => qosPath(teamId, `/rules/${id}`);
  return (
    <>
      <Card title="Rules" actions={add} isFlush>
        <Loaded query={query}>
          {({ rules }) =>
            rules.length === 0 ? (
              <EmptyState icon="quality" title="No rule yet">
                A rule is made of checks: a node is good while all of them are. The configuration names rules as{' '}
                <code>rule.NAME</code>.
              </EmptyState>
            ) : (
              <Table
                label="Rules"
                rows={rules}
                keyOf={({ id }) => id}
                onOpen={(rule) => navigate(pathOf(rule))}
                columns={[
                  {
                    head: 'Name',
                    cell: (rule) => (
                      <>
                        <Link className="wrap-anywhere" href={pathOf(rule)}>
                          <strong>{rule.name}</strong>
                        </Link>
                        {rule.description && <div className="small muted">{rule.description}</div>}
                      </>
                    ),
                  },
                  {
                    head: 'Checks',
                    cell: ({ checks }) =>
                      checks.length === 0 ? (
                        <span className="outcome-bad small">none: nothing will be known</span>
                      ) : (
                        checks.map(({ name }) => name).join(', ')
                      ),
                  },
                  { head: 'Labels', cell: ({ name }) => labelsUsing(labels.data ?? [], name).join(', ') },
                ]}
              />
            )
          }
        </Loaded>
      </Card>
      {isAdding && (
        <RuleDialog teamId={teamId} onSaved={(rule) => navigate(pathOf(rule))} onClose={() => setIsAdding(false)} />
      )}
    </>
  );
}
