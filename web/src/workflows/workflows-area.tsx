import { Redirect, Route, Switch } from 'wouter';
import { NotFound } from '../routing/not-found.tsx';
import { decodePart } from '../routing/paths.ts';
import { definitionsPath } from './addresses.ts';
import { DefinitionPage } from './definition-page.tsx';
import { DefinitionsPage } from './definitions-page.tsx';
import { InstancePage } from './instance-page.tsx';
import { InstancesPage } from './instances-page.tsx';
import './workflows.css';

export default function WorkflowsArea() {
  return (
    <Switch>
      <Route path="/app/workflows">
        <Redirect to={definitionsPath} replace />
      </Route>
      <Route path="/app/workflows/definitions" component={DefinitionsPage} />
      <Route path="/app/workflows/definitions/:fullname">
        {({ fullname }) => <DefinitionPage key={fullname} fullname={decodePart(fullname)} />}
      </Route>
      <Route path="/app/workflows/instances" component={InstancesPage} />
      <Route path="/app/workflows/instances/:id">{({ id }) => <InstancePage key={id} id={id} />}</Route>
      <Route component={NotFound} />
    </Switch>
  );
}
