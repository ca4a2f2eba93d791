import { Link, useLocation } from 'wouter';
import { Icon, type IconName } from '../design/icon.tsx';
import { useSession } from '../identity/session.tsx';
import { useCurrentTeam } from '../identity/teams.ts';
import { adminPath, explorerPath, platformPath, qosPath, teamPath, workflowsPath } from '../routing/paths.ts';

type Item = { href: string; text: string; icon: IconName; isHere: (path: string) => boolean };

const below = (start: string) => (path: string) => path === start || path.startsWith(`${start}/`);

export function Navigation({ isNarrow }: { isNarrow: boolean }) {
  const [path] = useLocation();
  const { team } = useCurrentTeam();
  const { hasScope } = useSession();
  const ofTeam: Item[] = team
    ? [
        { href: teamPath(team.id), text: 'Overview', icon: 'overview', isHere: (path) => path === teamPath(team.id) },
        {
          href: explorerPath(team.id),
          text: 'Explorer',
          icon: 'graph',
          isHere: (path) => below(explorerPath(team.id))(path) || below(`${teamPath(team.id)}/nodes`)(path),
        },
        { href: qosPath(team.id), text: 'Quality', icon: 'quality', isHere: below(qosPath(team.id)) },
      ]
    : [];
  const items: Item[] = [
    ...ofTeam,
    { href: workflowsPath(), text: 'Workflows', icon: 'workflow', isHere: below(workflowsPath()) },
    { href: platformPath('services'), text: 'Platform', icon: 'platform', isHere: below('/app/platform') },
    {
      href: hasScope('Admin') ? adminPath('users') : adminPath('tokens'),
      text: hasScope('Admin') ? 'Administration' : 'My tokens',
      icon: hasScope('Admin') ? 'admin' : 'key',
      isHere: below('/app/admin'),
    },
  ];
  return (
    <nav aria-label="Main">
      <ul className="side-list">
        {items.map(({ href, text, icon, isHere }) => (
          <li key={text}>
            <Link
              href={href}
              className="side-item"
              aria-current={isHere(path) ? 'page' : undefined}
              title={isNarrow ? text : undefined}
            >
              <Icon name={icon} size={18} />
              <span>{text}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
