import { Link } from 'wouter';
import type { DefinitionDetail, InstanceListItem } from '../../../src/workflows/workflows.schemas.ts';
import { withQuery } from '../api/client.ts';
import { useApi, useApiWhole } from '../api/hooks.ts';
import { Button, ButtonLink } from '../design/button.tsx';
import { Card, PageHeader } from '../design/card.tsx';
import { EmptyState, Loaded } from '../design/states.tsx';
import { useSession } from '../identity/session.tsx';
import { useSearchState } from '../routing/search-state.ts';
import { definitionsPath, instancesOf } from './addresses.ts';
import { AsWritten } from './as-written.tsx';
import { DefinitionFacts } from './definition-facts.tsx';
import { DefinitionFaults } from './definition-faults.tsx';
import { maxDrawn } from './drawing.ts';
import { InstancesTable } from './instances-table.tsx';
import { PlanDrawing } from './plan-drawing.tsx';
import { PlanItemCard } from './plan-item.tsx';
import { RunDialog } from './run-dialog.tsx';
import { PauseButton, RunNowButton } from './schedule.tsx';

/** One workflow: what it consists of, when it runs, how it went. */
export function DefinitionPage({ fullname }: { fullname: string }) {
  const query = useApi<DefinitionDetail>(`/api/definitions/${encodeURIComponent(fullname)}`, { refreshMs: 10_000 });
  const [{ run, item }, change] = useSearchState({ run: '', item: '' });
  const { hasScope } = useSession();
  return (
    <div className="page">
      <p className="crumbs">
        <Link href={definitionsPath}>Workflows</Link>
      </p>
      <Loaded query={query}>
        {(definition) => {
          const chosen = item === '' ? undefined : definition.plan.items[Number(item)];
          return (
            <>
              <PageHeader
                title={fullname}
                description={definition['description'] as string | undefined} // the format says so
                actions={
                  <>
                    <PauseButton definition={definition} />
                    <RunNowButton definition={definition} />
                    {hasScope('Write') && (
                      <Button variant="primary" icon="play" onClick={() => change({ run: '1' })}>
                        Run…
                      </Button>
                    )}
                  </>
                }
              />
              <DefinitionFaults file={definition.file} />
              <div className="stack">
                <Card title="What it does" isFlush actions={<ItemCount definition={definition} />}>
                  {definition.plan.items.length > maxDrawn ? (
                    <TooManyItems count={definition.plan.items.length} />
                  ) : (
                    <PlanDrawing
                      definition={definition}
                      selected={item}
                      onSelect={(place) => change({ item: place === item ? '' : place })}
                    />
                  )}
                </Card>
                {chosen && <PlanItemCard item={chosen} onClose={() => change({ item: '' })} />}
              </div>
              <DefinitionFacts definition={definition} />
              <LatestInstances definition={definition} />
              <AsWritten definition={definition} />
              {run === '1' && <RunDialog definition={definition} onClose={() => change({ run: '' })} />}
            </>
          );
        }}
      </Loaded>
    </div>
  );
}

function ItemCount({ definition }: { definition: DefinitionDetail }) {
  const { length } = definition.plan.items;
  return (
    <span className="small muted numbers">
      {length} {length === 1 ? 'task' : 'tasks'}
    </span>
  );
}

function TooManyItems({ count }: { count: number }) {
  return (
    <EmptyState icon="workflow" title={`${count.toLocaleString()} tasks are too many for a picture`}>
      Up to {maxDrawn} are drawn. Its instances list all of them.
    </EmptyState>
  );
}

function LatestInstances({ definition }: { definition: DefinitionDetail }) {
  const { project, name } = definition;
  const path = withQuery('/api/workflows', { project, name, per_page: 10, with_payload: false });
  const query = useApiWhole<InstanceListItem[]>(path, { refreshMs: 4000 });
  return (
    <Card
      title="Latest instances"
      isFlush
      actions={
        <ButtonLink isSmall href={instancesOf({ project, name })}>
          All of them
        </ButtonLink>
      }
    >
      <Loaded query={query}>
        {({ body }) =>
          body.length === 0 ? (
            <EmptyState icon="play" title="It has not run yet" />
          ) : (
            <InstancesTable label={`Latest instances of ${definition.fullname}`} instances={body} isOfOne />
          )
        }
      </Loaded>
    </Card>
  );
}
