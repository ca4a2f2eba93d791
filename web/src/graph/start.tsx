import { useApi } from '../api/hooks.ts';
import { Button } from '../design/button.tsx';
import { Card } from '../design/card.tsx';
import { EmptyState, ErrorState, Loading } from '../design/states.tsx';
import type { ExplorerState } from './explorer-state.ts';
import { LabelMark } from './label-mark.tsx';
import { pluralOf, useLabels } from './labels.ts';

/** Before a node was chosen: what there is, and some nodes of each label to begin with. */
export function Start({ teamId, state }: { teamId: string; state: ExplorerState }) {
  const labels = useLabels(teamId);
  if (labels.error) return <ErrorState error={labels.error} onRetry={() => void labels.refetch()} />;
  if (!labels.data) return <Loading />;
  const present = labels.data.filter(({ nodes_count }) => nodes_count > 0);
  if (present.length === 0) {
    return (
      <EmptyState icon="graph" title="This team has no graph yet">
        Send messages to <code>POST /v1/teams/{teamId}/graph</code>, run <code>faultline import</code> with a file, or
        add an integration that imports one.
      </EmptyState>
    );
  }
  return (
    <div className="tiles">
      {present.map(({ name, nodes_count }) => (
        <Card
          key={name}
          title={
            <LabelMark teamId={teamId} label={name}>
              {nodes_count.toLocaleString()} {pluralOf(name, nodes_count)}
            </LabelMark>
          }
        >
          <SomeNodes teamId={teamId} label={name} state={state} />
        </Card>
      ))}
    </div>
  );
}

function SomeNodes({ teamId, label, state }: { teamId: string; label: string; state: ExplorerState }) {
  const nodes = useApi<string[]>(`/v1/teams/${teamId}/labels/${label}/nodes?limit=5`, { staleMs: 60_000 });
  return (
    <ul className="panel-list">
      {nodes.data?.map((name) => (
        <li key={name}>
          <Button variant="ghost" isSmall className="start-node" onClick={() => state.centre({ label, name })}>
            {name}
          </Button>
        </li>
      ))}
    </ul>
  );
}
