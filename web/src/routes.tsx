import { lazy, Suspense } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { ButtonLink } from './design/button.tsx';
import { EmptyState, Loading } from './design/states.tsx';
import { useSession } from './identity/session.tsx';
import { useCurrentTeam } from './identity/teams.ts';
import { ErrorBoundary } from './routing/error-boundary.tsx';
import { NotFound } from './routing/not-found.tsx';
import { adminPath, platformPath, teamPath } from './routing/paths.ts';

/** Each area is loaded when somebody goes there. Its entry takes what stands in the address, and finds the rest itself. */
const Overview = lazy(() => import('./overview/overview.tsx'));
const Graph = lazy(() => import('./graph/graph-area.tsx'));
const Qos = lazy(() => import('./qos/qos-area.tsx'));
const Workflows = lazy(() => import('./workflows/workflows-area.tsx'));
const Platform = lazy(() => import('./platform/platform-area.tsx'));
const Admin = lazy(() => import('./admin/admin-area.tsx'));

export function Routes() {
  const [path] = useLocation();
  return (
    <ErrorBoundary resetKey={path}>
      <Suspense fallback={<Loading />}>
        <Switch>
          <Route path="/" component={Start} />
          <Route path="/app" component={Start} />
          <Route path="/app/teams/:team">{({ team }) => <Overview key={team} teamId={team} />}</Route>
          <Route path="/app/teams/:team/explorer">{({ team }) => <Graph key={team} teamId={team} />}</Route>
          <Route path="/app/teams/:team/nodes/:label/*">{({ team }) => <Graph key={team} teamId={team} />}</Route>
          <Route path="/app/teams/:team/qos/*?">{({ team }) => <Qos key={team} teamId={team} />}</Route>
          <Route path="/app/workflows/*?" component={Workflows} />
          <Route path="/app/platform">
            <Redirect to={platformPath('services')} replace />
          </Route>
          <Route path="/app/platform/*" component={Platform} />
          <Route path="/app/admin">
            <Redirect to={adminPath('users')} replace />
          </Route>
          <Route path="/app/admin/*" component={Admin} />
          <Route component={NotFound} />
        </Switch>
      </Suspense>
    </ErrorBoundary>
  );
}

/** Where to begin: the team looked at last. */
function Start() {
  const { team, isKnown } = useCurrentTeam();
  const { hasScope } = useSession();
  if (!isKnown) return <Loading />;
  if (team) return <Redirect to={teamPath(team.id)} replace />;
  return (
    <div className="page">
      <EmptyState
        icon="graph"
        title="There is no team yet"
        action={
          hasScope('Admin') && (
            <ButtonLink href={adminPath('teams')} variant="primary" icon="plus">
              Create a team
            </ButtonLink>
          )
        }
      >
        A team owns a dependency graph, its quality of service and its integrations.
        {hasScope('Admin') ? '' : ' Ask an administrator for a place in one.'}
      </EmptyState>
    </div>
  );
}
