import { useState } from 'react';
import { api } from '../api/client.ts';
import { useChange } from '../api/hooks.ts';
import type { Service } from '../api/types.ts';
import { Badge } from '../design/badge.tsx';
import { Button } from '../design/button.tsx';
import { Details, Json } from '../design/details.tsx';
import { Dialog } from '../design/dialog.tsx';
import { ErrorState } from '../design/states.tsx';
import { Table } from '../design/table.tsx';
import { Time } from '../design/time.tsx';

const healthTones = { OK: 'good', WARN: 'warn', AL: 'bad' } as const;
const healthTexts = { OK: 'OK', WARN: 'Warning', AL: 'Alert' } as const;

export function HealthBadge({ health }: { health: Service['health'] }) {
  return <Badge tone={healthTones[health]}>{healthTexts[health]}</Badge>;
}

/** All that a service says about itself. */
export function ServiceDialog({ service, onClose }: { service: Service; onClose: () => void }) {
  const [isSure, setIsSure] = useState(false);
  const path = `/services/${encodeURIComponent(service.type)}/${encodeURIComponent(service.name)}`;
  const remove = useChange(() => api.delete(path), ['/services/']);
  const { lines, now } = service.monitoring_status;
  return (
    <Dialog title={service.name} isWide onClose={onClose}>
      <div className="dialog-body stack">
        <Details
          items={[
            ['Type', service.type],
            ['State', `${service.state}, beats at least every ${service.ttl_seconds} s`],
            ['Address', service.url],
            ['Version', service.version],
            ['Region', service.region],
            ['Registered', <Time key="registered" at={service.registered_at} />],
            ['Last heartbeat', <Time key="beat" at={service.last_heartbeat} format="full" />],
          ]}
        />
        <section className="stack" aria-label="What it reports">
          <h3>
            What it reports <HealthBadge health={service.health} />
          </h3>
          {lines.length === 0 ? (
            <p className="muted">It beats, but says nothing about itself.</p>
          ) : (
            <div className="boxed">
              <Table
                label="Lines"
                rows={lines}
                keyOf={({ component, type }) => `${type} ${component}`}
                columns={[
                  { head: 'Component', cell: ({ component }) => component },
                  { head: 'Value', cell: ({ value }) => <span className="wrap-anywhere">{value}</span> },
                  { head: 'Status', isNarrow: true, cell: ({ status }) => <HealthBadge health={status} /> },
                ]}
              />
            </div>
          )}
          {lines.length > 0 && (
            <p className="small muted">
              As of <Time at={now} format="relative" />.
            </p>
          )}
        </section>
        {Object.keys(service.metadata).length > 0 && <Json value={service.metadata} label="Metadata" />}
        {remove.error && <ErrorState error={remove.error} />}
      </div>
      <footer className="dialog-foot">
        {isSure ? (
          <Button
            variant="danger"
            isBusy={remove.isPending}
            onClick={() => remove.mutate(undefined, { onSuccess: onClose })}
          >
            Really forget it
          </Button>
        ) : (
          <Button variant="ghost" icon="trash" onClick={() => setIsSure(true)}>
            Forget this service
          </Button>
        )}
        <Button onClick={onClose}>Close</Button>
      </footer>
    </Dialog>
  );
}
