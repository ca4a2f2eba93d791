import { Redirect, Route, Switch } from 'wouter';
import { PageHeader } from '../design/card.tsx';
import { Tabs } from '../design/tabs.tsx';
import { useCurrentTeam } from '../identity/teams.ts';
import { NotFound } from '../routing/not-found.tsx';
import { decodePart, qosPath } from '../routing/paths.ts';
import { Checks } from './checks/checks.tsx';
import { ConfigEditor } from './config/config-editor.tsx';
import { Versions } from './config/versions.tsx';
import { ExplainPage } from './explain-page.tsx';
import { LabelPage } from './labels/label-page.tsx';
import { Labels } from './labels/labels.tsx';
import { Objectives } from './objectives/objectives.tsx';
import './qos.css';
import { RulePage } from './rules/rule-page.tsx';
import { Rules } from './rules/rules.tsx';
import { RunPage } from './runs/run-page.tsx';
import { Runs } from './runs/runs.tsx';
import { Settings } from './settings/settings.tsx';
import { Sources } from './sources/sources.tsx';

/** How well a team's labels work, what that follows from, and why. */
export default function QosArea({ teamId }: { teamId: string }) {
  const at = (part: string): string => qosPath(teamId, part);
  const { team } = useCurrentTeam();
  const parts = [
    { href: at('/labels'), text: 'Labels' },
    { href: at('/objectives'), text: 'Objectives' },
    { href: at('/configuration'), text: 'Configuration' },
    { href: at('/rules'), text: 'Rules' },
    { href: at('/checks'), text: 'Checks' },
    { href: at('/sources'), text: 'Sources' },
    { href: at('/runs'), text: 'Runs' },
    { href: at('/settings'), text: 'Settings' },
  ];
  return (
    <div className="page">
      <PageHeader title="Quality of service" description={team && `of ${team.name}`} />
      <Tabs label="Quality of service" items={parts} />
      <Switch>
        <Route path={at('')}>
          <Redirect to={at('/labels')} replace />
        </Route>
        <Route path={at('/labels')}>
          <Labels teamId={teamId} />
        </Route>
        <Route<{ label: string }> path={at('/labels/:label')}>
          {({ label }) => <LabelPage key={label} teamId={teamId} label={label} />}
        </Route>
        <Route path={at('/explain')}>
          <ExplainPage teamId={teamId} />
        </Route>
        <Route path={at('/objectives')}>
          <Objectives teamId={teamId} />
        </Route>
        <Route path={at('/configuration')}>
          <ConfigEditor teamId={teamId} />
        </Route>
        <Route path={at('/configuration/versions')}>
          <Versions teamId={teamId} />
        </Route>
        <Route path={at('/rules')}>
          <Rules teamId={teamId} />
        </Route>
        <Route<{ id: string }> path={at('/rules/:id')}>
          {({ id }) => <RulePage key={id} teamId={teamId} ruleId={decodePart(id)} />}
        </Route>
        <Route path={at('/checks')}>
          <Checks teamId={teamId} />
        </Route>
        <Route path={at('/sources')}>
          <Sources teamId={teamId} />
        </Route>
        <Route path={at('/runs')}>
          <Runs teamId={teamId} />
        </Route>
        <Route<{ id: string }> path={at('/runs/:id')}>
          {({ id }) => <RunPage key={id} teamId={teamId} runId={id} />}
        </Route>
        <Route path={at('/settings')}>
          <Settings teamId={teamId} />
        </Route>
        <Route component={NotFound} />
      </Switch>
    </div>
  );
}
