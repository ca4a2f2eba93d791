import { ApiError } from '../api/client.ts';
import { useApi } from '../api/hooks.ts';
import type { Label } from '../api/types.ts';
import { ButtonLink } from '../design/button.tsx';
import { PageHeader } from '../design/card.tsx';
import { EmptyState, ErrorState, Loaded } from '../design/states.tsx';
import { useCurrentTeam } from '../identity/teams.ts';
import { explorerPath } from '../routing/paths.ts';
import { LabelTile } from './label-tile.tsx';
import { LatestNews } from './latest-news.tsx';
import './overview.css';
import { RecentWorkflows } from './recent-workflows.tsx';
import { StaleServices } from './stale-services.tsx';

/** What a team has, how well it works, and what needs somebody's attention. */
export default function Overview({ teamId }: { teamId: string }) {
  const { teams, isKnown } = useCurrentTeam();
  const team = teams.find(({ id }) => id === teamId);
  const labels = useApi<Label[]>(team ? `/v1/teams/${teamId}/labels` : null, { refreshMs: 60_000 });
  if (isKnown && !team) {
    return (
      <div className="page">
        <ErrorState error={new ApiError(404, 'not_found', 'There is no such team, or you have no place in it.')} />
      </div>
    );
  }
  return (
    <div className="page">
      <PageHeader
        title={team?.name ?? 'Overview'}
        description={labels.data && summary(labels.data)}
        actions={
          team && (
            <ButtonLink href={explorerPath(team.id)} icon="graph">
              Explore the graph
            </ButtonLink>
          )
        }
      />
      <Loaded query={labels}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon="graph" title="The graph is empty">
              Send messages to <code>POST /v1/teams/{teamId}/graph</code>, or run{' '}
              <code>faultline import --team "{team?.name}" FILE</code>. An integration can fetch them too.
            </EmptyState>
          ) : (
            <ul className="tiles" aria-label="Labels">
              {list.map((label) => (
                <li key={label.name}>
                  <LabelTile teamId={teamId} label={label} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <div className="columns">
        <RecentWorkflows />
        <div className="stack">
          <StaleServices />
          <LatestNews />
        </div>
      </div>
    </div>
  );
}

function summary(labels: readonly Label[]): string {
  const nodes = labels.reduce((sum, label) => sum + label.nodes_count, 0);
  return `${nodes.toLocaleString()} ${nodes === 1 ? 'node' : 'nodes'} in ${labels.length} ${labels.length === 1 ? 'label' : 'labels'}`;
}
