import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useApi, useChange } from '../../api/hooks.ts';
import { Badge } from '../../design/badge.tsx';
import { ButtonLink } from '../../design/button.tsx';
import { Card } from '../../design/card.tsx';
import { Confirm } from '../../design/confirm.tsx';
import { EmptyState, Loaded } from '../../design/states.tsx';
import { Table } from '../../design/table.tsx';
import { Time } from '../../design/time.tsx';
import { qosPath } from '../../routing/paths.ts';
import { useSearchState } from '../../routing/search-state.ts';
import type { ConfigList, ConfigVersion } from '../qos-types.ts';
import { useRights } from '../use-rights.ts';
import { differenceOf, summaryOf } from './config-difference.ts';
import { VersionCard } from './version-card.tsx';

/** All configurations there were, what each of them changed, and the way back. */
export function Versions({ teamId }: { teamId: string }) {
  const path = `/v1/teams/${teamId}/configs`;
  const query = useApi<ConfigList>(path);
  const [{ version, against }, change] = useSearchState({ version: '', against: '' });
  const [wanted, setWanted] = useState<ConfigVersion>();
  const { mayManage } = useRights();
  const apply = useChange(
    (id: string) => api.put<ConfigVersion>(`${path}/${id}/apply`),
    [path, `/v1/teams/${teamId}/labels`, `/v1/teams/${teamId}/statistics`],
  );
  return (
    <Loaded query={query}>
      {({ configs }) => {
        const chosen = configs.find(({ number }) => String(number) === version) ?? configs[0];
        const former = (one: ConfigVersion) => configs.find(({ number }) => number < one.number);
        if (!chosen) {
          return (
            <EmptyState
              icon="clock"
              title="No version yet"
              action={<ButtonLink href={qosPath(teamId, '/configuration')}>Write the first one</ButtonLink>}
            />
          );
        }
        return (
          <div className="columns">
            <Card
              title="Versions"
              isFlush
              actions={
                <ButtonLink isSmall icon="edit" href={qosPath(teamId, '/configuration')}>
                  Editor
                </ButtonLink>
              }
            >
              <Table
                label="Versions of the configuration"
                rows={configs}
                keyOf={({ id }) => id}
                maxHeight="70vh"
                isSelected={({ id }) => id === chosen.id}
                onOpen={({ number }) => change({ version: String(number), against: '' }, { push: true })}
                columns={[
                  {
                    head: 'Version',
                    isNarrow: true,
                    cell: ({ number, current }) => (
                      <span className="row">
                        <button
                          type="button"
                          className="link numbers"
                          onClick={() => change({ version: String(number), against: '' }, { push: true })}
                        >
                          {number}
                        </button>
                        {current && <Badge tone="good">in force</Badge>}
                      </span>
                    ),
                  },
                  {
                    head: 'What changed',
                    cell: (one) => summaryOf(differenceOf(former(one)?.config ?? {}, one.config)),
                  },
                  {
                    head: 'When',
                    cell: ({ created_at: at, created_by: who }) => (
                      <>
                        <Time at={at} format="relative" />
                        <div className="small muted wrap-anywhere">{who}</div>
                      </>
                    ),
                  },
                ]}
              />
            </Card>
            <VersionCard
              teamId={teamId}
              version={chosen}
              configs={configs}
              against={configs.find(({ number }) => String(number) === against) ?? former(chosen)}
              onAgainst={(number) => change({ version: String(chosen.number), against: String(number) })}
              onApply={mayManage && !chosen.current ? () => setWanted(chosen) : undefined}
            />
            {wanted && (
              <Confirm
                title={`Go back to version ${wanted.number}?`}
                submit={`Use version ${wanted.number}`}
                input={wanted.id}
                change={apply}
                onClose={() => setWanted(undefined)}
              >
                It comes into force for days that are computed from now on. Figures that are there stay, and every
                version stays in this list.
              </Confirm>
            )}
          </div>
        );
      }}
    </Loaded>
  );
}
