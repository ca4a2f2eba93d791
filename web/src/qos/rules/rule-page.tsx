import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { api } from '../../api/client.ts';
import { useApi, useChange } from '../../api/hooks.ts';
import type { Label } from '../../api/types.ts';
import { Button, ButtonLink } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { Confirm } from '../../design/confirm.tsx';
import { Details } from '../../design/details.tsx';
import { Loaded } from '../../design/states.tsx';
import { qosPath } from '../../routing/paths.ts';
import { describeThreshold } from '../checks/threshold-words.ts';
import type { Check, Rule } from '../qos-types.ts';
import { useRights } from '../use-rights.ts';
import { labelsUsing } from './labels-using.ts';
import { RuleDialog } from './rule-dialog.tsx';
import { TryRule } from './try-rule.tsx';

/** One rule: what it is made of, who uses it, and what it says about a node. */
export function RulePage({ teamId, ruleId }: { teamId: string; ruleId: string }) {
  const path = `/v1/teams/${teamId}/rules`;
  const query = useApi<Rule>(`${path}/${ruleId}`);
  const checks = useApi<{ checks: Check[] }>(`/v1/teams/${teamId}/checks`);
  const labels = useApi<Label[]>(`/v1/teams/${teamId}/labels`);
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const [, navigate] = useLocation();
  const remove = useChange(
    async (id: string) => {
      await api.delete(`${path}/${id}`);
      navigate(qosPath(teamId, '/rules'));
    },
    [`${path}?`, `/v1/teams/${teamId}/checks`],
  );
  const { mayEdit } = useRights();
  const thresholdOf = (id: string) => checks.data?.checks.find((check) => check.id === id)?.threshold;
  return (
    <Loaded query={query}>
      {(rule) => {
        const users = labelsUsing(labels.data ?? [], rule.name);
        return (
          <>
            <Card
              title={rule.name}
              actions={
                <>
                  <ButtonLink isSmall href={qosPath(teamId, '/rules')}>
                    All rules
                  </ButtonLink>
                  {mayEdit && (
                    <>
                      <Button isSmall icon="edit" onClick={() => setOpen('edit')}>
                        Edit
                      </Button>
                      <Button isSmall icon="trash" onClick={() => setOpen('delete')}>
                        Delete
                      </Button>
                    </>
                  )}
                </>
              }
            >
              <Details
                items={[
                  ['Description', rule.description],
                  [
                    'Checks',
                    <ul key="checks">
                      {rule.checks.map(({ id, name }) => (
                        <li key={id}>
                          {name} <span className="muted">{describe(thresholdOf(id))}</span>
                        </li>
                      ))}
                      {rule.checks.length === 0 && <li className="muted">none yet</li>}
                    </ul>,
                  ],
                  [
                    'Labels',
                    <span key="labels" className="row">
                      {users.map((label) => (
                        <Link key={label} href={qosPath(teamId, `/labels/${label}`)}>
                          {label}
                        </Link>
                      ))}
                      {users.length === 0 && <span className="muted">the configuration does not use it</span>}
                    </span>,
                  ],
                  ...Object.entries(rule.variables).map(
                    ([name, text]) => [name, <code key={name}>{text}</code>] as const,
                  ),
                ]}
              />
            </Card>
            {mayEdit && labels.data && (
              <TryRule
                teamId={teamId}
                rule={rule}
                labels={[...new Set([...users, ...labels.data.map(({ name }) => name)])]}
              />
            )}
            {open === 'edit' && <RuleDialog teamId={teamId} rule={rule} onClose={() => setOpen(undefined)} />}
            {open === 'delete' && (
              <Confirm
                title={`Delete ${rule.name}?`}
                submit="Delete"
                input={rule.id}
                change={remove}
                onClose={() => setOpen(undefined)}
              >
                It can be deleted only while the current configuration does not use it. Its checks stay.
              </Confirm>
            )}
          </>
        );
      }}
    </Loaded>
  );
}

const describe = (threshold: number | string | undefined): string =>
  threshold === undefined ? '' : describeThreshold(threshold);
