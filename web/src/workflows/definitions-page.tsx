import { Link, useLocation } from 'wouter';
import type { InstanceListItem, WorkflowDefinition } from '../../../src/workflows/workflows.schemas.ts';
import { useApi } from '../api/hooks.ts';
import { ButtonLink } from '../design/button.tsx';
import { Card, PageHeader } from '../design/card.tsx';
import { TextField } from '../design/field.tsx';
import { EmptyState, Loaded } from '../design/states.tsx';
import { type Column, Table } from '../design/table.tsx';
import { useSession } from '../identity/session.tsx';
import { useSearchState } from '../routing/search-state.ts';
import { definitionPath } from './addresses.ts';
import { AreaTabs } from './area-tabs.tsx';
import { DefinitionFaults } from './definition-faults.tsx';
import { groupRuns, RecentRuns } from './recent-runs.tsx';
import { PauseButton, ScheduleWords } from './schedule.tsx';

const refreshMs = 5000;
/** Of all workflows together: enough to see how each has fared lately, in one question. */
const recentPath = '/api/workflows?per_page=300&with_payload=false';

/** What can be run, by project. */
export function DefinitionsPage() {
  const definitions = useApi<WorkflowDefinition[]>('/api/definitions', { refreshMs });
  const recent = useApi<InstanceListItem[]>(recentPath, { refreshMs: 2 * refreshMs });
  const [{ find }, change] = useSearchState({ find: '' });
  const runs = groupRuns(recent.data ?? []);
  return (
    <div className="page">
      <PageHeader title="Workflows" description="What can be run, when it runs by itself, and how it went lately." />
      <AreaTabs />
      <DefinitionFaults />
      <Loaded query={definitions}>
        {(all) => {
          if (all.length === 0) return <NoDefinitions />;
          const found = all.filter((one) => matches(one, find));
          return (
            <>
              <div className="filters">
                <TextField label="Find" type="search" value={find} onValue={(find) => change({ find })} />
              </div>
              {found.length === 0 && <EmptyState icon="search" title={`No workflow has “${find}” in its name`} />}
              {[...Map.groupBy(found, ({ project }) => project)].map(([project, members]) => (
                <Card key={project} title={project} isFlush>
                  <DefinitionTable project={project} definitions={members} runs={runs} />
                </Card>
              ))}
            </>
          );
        }}
      </Loaded>
    </div>
  );
}

function DefinitionTable({
  project,
  definitions,
  runs,
}: {
  project: string;
  definitions: WorkflowDefinition[];
  runs: Map<string, InstanceListItem[]>;
}) {
  const [, navigate] = useLocation();
  const { hasScope } = useSession();
  const columns: Column<WorkflowDefinition>[] = [
    {
      head: 'Workflow',
      cell: ({ name, fullname, ...rest }) => (
        <div className="two-lines">
          <Link href={definitionPath(fullname)} className="strong">
            {name}
          </Link>
          {typeof rest['description'] === 'string' && <span className="small muted">{rest['description']}</span>}
        </div>
      ),
    },
    { head: 'Schedule', isNarrow: true, cell: (definition) => <ScheduleWords definition={definition} /> },
    { head: 'Lately', isNarrow: true, cell: ({ fullname }) => <RecentRuns runs={runs.get(fullname) ?? []} /> },
    {
      head: 'Actions',
      isHeadUnseen: true,
      isNarrow: true,
      cell: (definition) => (
        <div className="row actions">
          <PauseButton definition={definition} isSmall />
          {hasScope('Write') && (
            <ButtonLink isSmall icon="play" href={`${definitionPath(definition.fullname)}?run=1`}>
              Run<span className="unseen"> {definition.fullname}</span>
            </ButtonLink>
          )}
        </div>
      ),
    },
  ];
  return (
    <div className="stacked stacked-definitions">
      <Table
        label={`Workflows of ${project}`}
        columns={columns}
        rows={definitions}
        keyOf={({ fullname }) => fullname}
        onOpen={({ fullname }) => navigate(definitionPath(fullname))}
      />
    </div>
  );
}

function NoDefinitions() {
  return (
    <EmptyState icon="workflow" title="There is no workflow yet">
      Definitions are YAML files in the home of the service (FAULTLINE_HOME). <code>faultline init</code> writes a home
      to begin with; a file that is saved there is in use at once.
    </EmptyState>
  );
}

function matches({ fullname, ...rest }: WorkflowDefinition, find: string): boolean {
  const text = `${fullname} ${typeof rest['description'] === 'string' ? rest['description'] : ''}`;
  return text.toLowerCase().includes(find.trim().toLowerCase());
}
