import type { Service } from '../api/types.ts';
import { Badge } from '../design/badge.tsx';
import { Card } from '../design/card.tsx';
import { Select } from '../design/field.tsx';
import { EmptyState, ErrorState, Loading } from '../design/states.tsx';
import { Table } from '../design/table.tsx';
import { Time } from '../design/time.tsx';
import { useSession } from '../identity/session.tsx';
import { useSearchState } from '../routing/search-state.ts';
import { HealthBadge, ServiceDialog } from './service-dialog.tsx';
import { useServices } from './use-services.ts';

export function Services() {
  const { hasScope } = useSession();
  if (hasScope('Service')) return <ServiceTable />;
  return (
    <EmptyState icon="platform" title="Services need the scope Service">
      Sign in with a token that has it, or ask an administrator for one.
    </EmptyState>
  );
}

function ServiceTable() {
  const [{ type, state, service }, change] = useSearchState({ type: '', state: '', service: '' });
  const { types, services, error, isPending, refetch } = useServices(type);
  const shown = services.filter((one) => state === '' || one.state === state);
  const open = services.find((one) => keyOf(one) === service);
  return (
    <>
      <div className="filters">
        <Select
          label="Type"
          value={type}
          onValue={(value) => change({ type: value })}
          options={[
            ['', 'All types'],
            ...types.map((one) => [one.type, `${one.type} (${one.alive + one.stale})`] as const),
          ]}
        />
        <Select
          label="State"
          value={state}
          onValue={(value) => change({ state: value })}
          options={[
            ['', 'Alive and stale'],
            ['alive', 'Alive'],
            ['stale', 'Stale'],
          ]}
        />
      </div>
      <Card title={`Services (${shown.length})`} isFlush>
        {error ? (
          <ErrorState error={error} onRetry={refetch} />
        ) : isPending ? (
          <Loading />
        ) : shown.length === 0 ? (
          <EmptyState icon="platform" title="No such service">
            A program becomes a service by telling <code>POST /services/heartbeat</code> its type and name every so
            often.
          </EmptyState>
        ) : (
          <Table
            label="Services"
            rows={shown}
            keyOf={keyOf}
            onOpen={(one) => change({ service: keyOf(one) }, { push: true })}
            columns={[
              {
                head: 'Name',
                cell: (one) => (
                  <button
                    type="button"
                    className="link"
                    onClick={() => change({ service: keyOf(one) }, { push: true })}
                  >
                    {one.name}
                  </button>
                ),
              },
              { head: 'Type', cell: (one) => one.type },
              { head: 'State', isNarrow: true, cell: (one) => <StateBadge state={one.state} /> },
              { head: 'Health', isNarrow: true, cell: (one) => <HealthBadge health={one.health} /> },
              { head: 'Version', cell: (one) => one.version },
              { head: 'Region', cell: (one) => one.region },
              {
                head: 'Last heartbeat',
                isNarrow: true,
                cell: (one) => <Time at={one.last_heartbeat} format="relative" />,
              },
            ]}
          />
        )}
      </Card>
      {open && <ServiceDialog service={open} onClose={() => change({ service: '' })} />}
    </>
  );
}

const keyOf = ({ type, name }: Service): string => `${type}/${name}`;

function StateBadge({ state }: { state: Service['state'] }) {
  return (
    <Badge tone={state === 'alive' ? 'good' : 'warn'} dot>
      {state}
    </Badge>
  );
}
