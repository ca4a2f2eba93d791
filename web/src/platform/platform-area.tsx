import { Route, Switch } from 'wouter';
import { PageHeader } from '../design/card.tsx';
import { Tabs } from '../design/tabs.tsx';
import { NotFound } from '../routing/not-found.tsx';
import { platformPath } from '../routing/paths.ts';
import { Channels } from './channels.tsx';
import { Deliveries } from './deliveries.tsx';
import { Integrations } from './integrations.tsx';
import './platform.css';
import { Services } from './services.tsx';

const parts = [
  { href: platformPath('services'), text: 'Services' },
  { href: platformPath('integrations'), text: 'Integrations' },
  { href: platformPath('channels'), text: 'Channels' },
  { href: platformPath('deliveries'), text: 'Deliveries' },
];

/** What surrounds the service: programs that report to it, systems it reads from, and those it tells. */
export default function PlatformArea() {
  return (
    <div className="page">
      <PageHeader title="Platform" />
      <Tabs label="Platform" items={parts} />
      <Switch>
        <Route path={platformPath('services')} component={Services} />
        <Route path={platformPath('integrations')} component={Integrations} />
        <Route path={platformPath('channels')} component={Channels} />
        <Route path={platformPath('deliveries')} component={Deliveries} />
        <Route component={NotFound} />
      </Switch>
    </div>
  );
}
