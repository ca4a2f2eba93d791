import { Route, Switch } from 'wouter';
import { PageHeader } from '../design/card.tsx';
import { EmptyState } from '../design/states.tsx';
import { Tabs } from '../design/tabs.tsx';
import { useSession } from '../identity/session.tsx';
import { NotFound } from '../routing/not-found.tsx';
import { adminPath } from '../routing/paths.ts';
import { Audit } from './audit.tsx';
import { NewsEditor } from './news-editor.tsx';
import { Teams } from './teams.tsx';
import { Tokens } from './tokens.tsx';
import { Users } from './users.tsx';

const ofAdministrators = [
  { href: adminPath('users'), text: 'Users' },
  { href: adminPath('teams'), text: 'Teams' },
  { href: adminPath('tokens'), text: 'Tokens' },
  { href: adminPath('audit'), text: 'Audit' },
  { href: adminPath('news'), text: 'News' },
];
const ofAll = [
  { href: adminPath('tokens'), text: 'My tokens' },
  { href: adminPath('teams'), text: 'My teams' },
];

/** Users, teams, tokens, the audit log and the news; for those who administer nothing, their own tokens and teams. */
export default function AdminArea() {
  const isAdmin = useSession().hasScope('Admin');
  return (
    <div className="page">
      <PageHeader title={isAdmin ? 'Administration' : 'My account'} />
      <Tabs label="Administration" items={isAdmin ? ofAdministrators : ofAll} />
      <Switch>
        <Route path={adminPath('tokens')} component={Tokens} />
        <Route path={adminPath('teams')} component={Teams} />
        {isAdmin && <Route path={adminPath('users')} component={Users} />}
        {isAdmin && <Route path={adminPath('audit')} component={Audit} />}
        {isAdmin && <Route path={adminPath('news')} component={NewsEditor} />}
        <Route>{isAdmin ? <NotFound /> : <ForAdministrators />}</Route>
      </Switch>
    </div>
  );
}

function ForAdministrators() {
  return (
    <EmptyState icon="admin" title="This is for administrators">
      It needs an administrator who signed in with a token of the scope Admin.
    </EmptyState>
  );
}
