import { useState } from 'react';
import { withQuery } from '../api/client.ts';
import { useApi } from '../api/hooks.ts';
import type { AuditEntry } from '../api/types.ts';
import { Card } from '../design/card.tsx';
import { Details, Json } from '../design/details.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Select, TextField } from '../design/field.tsx';
import { OlderNewer } from '../design/older-newer.tsx';
import { EmptyState, Loaded } from '../design/states.tsx';
import { Table } from '../design/table.tsx';
import { Time } from '../design/time.tsx';
import { useCurrentTeam } from '../identity/teams.ts';
import { useSearchState } from '../routing/search-state.ts';

const perPage = 50;

/** Every change: who, what, when, from where. */
export function Audit() {
  const [{ user, action, of, before }, change] = useSearchState({ user: '', action: '', of: '', before: '' });
  const { teams } = useCurrentTeam();
  const [open, setOpen] = useState<AuditEntry>();
  const path = withQuery('/v1/audit', { user, action, team_id: of, before, limit: perPage });
  const query = useApi<{ entries: AuditEntry[]; next_before: number | null }>(path, { keepPrevious: true });
  const teamName = (id: string | null): string => teams.find((team) => team.id === id)?.name ?? '';
  return (
    <>
      <div className="filters">
        <TextField label="User" type="search" value={user} onValue={(next) => change({ user: next, before: '' })} />
        <TextField
          label="Action"
          type="search"
          placeholder="token.create"
          value={action}
          onValue={(next) => change({ action: next, before: '' })}
        />
        <Select
          label="Team"
          value={of}
          options={[['', 'All'], ...teams.map(({ id, name }) => [id, name] as const)]}
          onValue={(next) => change({ of: next, before: '' })}
        />
      </div>
      <Card title="Audit log" isFlush>
        <Loaded query={query}>
          {({ entries, next_before: next }) => (
            <>
              {entries.length === 0 ? (
                <EmptyState icon="search" title="No such entry">
                  User and action must be written in full, as they stand in the log.
                </EmptyState>
              ) : (
                <Table
                  label="Entries"
                  rows={entries}
                  keyOf={({ id }) => id}
                  onOpen={setOpen}
                  columns={[
                    { head: 'When', isNarrow: true, cell: (entry) => <Time at={entry.at} format="full" /> },
                    { head: 'Who', cell: (entry) => <span className="wrap-anywhere">{entry.user}</span> },
                    {
                      head: 'Did',
                      isNarrow: true,
                      cell: (entry) => (
                        <button type="button" className="link" onClick={() => setOpen(entry)}>
                          {entry.action}
                        </button>
                      ),
                    },
                    { head: 'To', cell: (entry) => <span className="wrap-anywhere">{entry.target}</span> },
                    { head: 'Team', cell: (entry) => teamName(entry.team_id) },
                    { head: 'From', isNarrow: true, cell: (entry) => entry.address },
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
      {open && (
        <Dialog title={open.action} onClose={() => setOpen(undefined)}>
          <div className="dialog-body stack">
            <Details
              items={[
                ['When', <Time key="at" at={open.at} format="full" />],
                ['Who', open.user],
                ['To', open.target],
                ['Team', teamName(open.team_id) || open.team_id],
                ['From', open.address],
                ['Request', open.request_id],
              ]}
            />
            <Json value={open.details} label="Details" />
          </div>
        </Dialog>
      )}
    </>
  );
}
