import { Link } from 'wouter';
import { withQuery } from '../api/client.ts';
import { useApiWhole } from '../api/hooks.ts';
import type { WorkflowInstance } from '../api/types.ts';
import { ButtonLink } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { Loaded } from '../design/states.tsx';
import { Time, useNow } from '../design/time.tsx';
import { instancePath, workflowsPath } from '../routing/paths.ts';
import { StatusBadge } from '../workflows/status-badge.tsx';

const shown = 5;
const dayMs = 86_400_000;
const hourMs = 3_600_000;
/** What runs now, and what failed since yesterday. */
export function RecentWorkflows() {
  // To the hour, so that the address does not change with every tick.
  const since = new Date(Math.floor((useNow() - dayMs) / hourMs) * hourMs).toISOString();
  return (
    <Card
      title="Workflows"
      isFlush
      actions={
        <ButtonLink isSmall variant="ghost" href={workflowsPath()}>
          All workflows
        </ButtonLink>
      }
    >
      <Some title="Running" query={{ status: 'progress' }} none="Nothing runs at the moment." />
      <Some title="Waiting to begin" query={{ status: 'pending' }} />
      <Some title="Failed in the last 24 hours" query={{ status: 'error', since }} none="Nothing has failed." />
    </Card>
  );
}

function Some({ title, query, none }: { title: string; query: Record<string, string>; none?: string }) {
  const path = withQuery('/api/workflows', { ...query, per_page: shown, with_payload: false });
  const instances = useApiWhole<WorkflowInstance[]>(path, { refreshMs: 10_000 });
  const total = Number(instances.data?.headers.get('x-total-count') ?? 0);
  // Without words for "none" there is nothing to say then.
  if (none === undefined && total === 0) return null;
  return (
    <section className="overview-part" aria-label={title}>
      <h3>
        {title} {total > 0 && <span className="muted numbers">{total.toLocaleString()}</span>}
      </h3>
      <Loaded query={instances}>
        {({ body }) =>
          body.length === 0 ? (
            <p className="muted">{none}</p>
          ) : (
            <ul className="overview-list">
              {body.map((one) => (
                <li key={one.id}>
                  <Link href={instancePath(one.id)} className="wrap-anywhere">
                    {one.fullname}
                  </Link>
                  <StatusBadge status={one.status} />
                  <span className="small muted push">
                    <Time at={one.created} format="relative" />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {total > shown && (
        <p className="small">
          <Link href={withQuery(workflowsPath('/instances'), query)}>All {total.toLocaleString()}</Link>
        </p>
      )}
    </section>
  );
}
