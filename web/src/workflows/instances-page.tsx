import type { InstanceListItem } from '../../../src/workflows/workflows.schemas.ts';
import { withQuery } from '../api/client.ts';
import { useApiWhole } from '../api/hooks.ts';
import { Button } from '../design/button.tsx';
import { Card, PageHeader } from '../design/card.tsx';
import { Pager } from '../design/pager.tsx';
import { EmptyState, Loaded } from '../design/states.tsx';
import { useSearchState } from '../routing/search-state.ts';
import { AreaTabs } from './area-tabs.tsx';
import { InstanceFilters, noFilter } from './instance-filters.tsx';
import { InstancesTable } from './instances-table.tsx';

const perPage = 50;
const refreshMs = 4000;

/** All instances; the service filters, counts and pages. */
export function InstancesPage() {
  const [{ page: pageText, ...filter }, change] = useSearchState({ ...noFilter, page: '1' });
  const page = Math.max(1, Number.parseInt(pageText, 10) || 1);
  const query = useApiWhole<InstanceListItem[]>(
    withQuery('/api/workflows', { ...filter, page, per_page: perPage, with_payload: false }),
    { refreshMs, keepPrevious: true },
  );
  const isFiltered = Object.values(filter).some((value) => value !== '');
  const clear = (): void => change({ ...noFilter, page: '1' });
  return (
    <div className="page">
      <PageHeader title="Workflows" description="What ran, what runs, and what went wrong." />
      <AreaTabs />
      <InstanceFilters filter={filter} onChange={(changes) => change({ ...changes, page: '1' })} />
      <Card
        title="Instances"
        isFlush
        actions={
          isFiltered && (
            <Button isSmall icon="close" onClick={clear}>
              Clear the filter
            </Button>
          )
        }
      >
        <Loaded query={query}>
          {({ body, headers }) => {
            const total = Number(headers.get('x-total-count') ?? body.length);
            if (body.length === 0 && page === 1) return <NoInstances isFiltered={isFiltered} onClear={clear} />;
            return (
              <>
                <InstancesTable label="Instances" instances={body} />
                <Pager
                  page={page}
                  perPage={perPage}
                  total={total}
                  onPage={(next) => change({ page: String(next) }, { push: true })}
                />
              </>
            );
          }}
        </Loaded>
      </Card>
    </div>
  );
}

function NoInstances({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  if (isFiltered) {
    return (
      <EmptyState
        icon="filter"
        title="No instance fits"
        action={
          <Button icon="close" onClick={onClear}>
            Clear the filter
          </Button>
        }
      >
        Nothing that is kept has this project, name, status and time.
      </EmptyState>
    );
  }
  return (
    <EmptyState icon="play" title="Nothing has run yet">
      Start a workflow under Definitions, or give one a schedule.
    </EmptyState>
  );
}
