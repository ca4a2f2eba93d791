import { Link } from 'wouter';
import { Icon } from '../design/icon.tsx';
import { Popover } from '../design/menu.tsx';
import { useCurrentTeam, useTeamAddress } from '../identity/teams.ts';

export function TeamSwitcher() {
  const { team, teams } = useCurrentTeam();
  const addressOf = useTeamAddress();
  if (teams.length === 0) return null;
  return (
    <div className="team-switcher">
      <Popover
        label={team ? `Team ${team.name}: switch` : 'Choose a team'}
        trigger={
          <>
            <span className="team-name">{team?.name ?? 'Choose a team'}</span>
            <Icon name="chevronDown" size={14} />
          </>
        }
      >
        {(close) => (
          <>
            <p className="menu-title">Teams</p>
            <ul className="team-list">
              {teams.map(({ id, name }) => (
                <li key={id}>
                  <Link
                    className="menu-item wrap-anywhere"
                    href={addressOf(id)}
                    aria-current={id === team?.id ? 'true' : undefined}
                    onClick={close}
                  >
                    {name}
                    {id === team?.id && (
                      <span className="push">
                        <Icon name="check" />
                      </span>
                    )}
                  </Link>
                </li>
              ))}
            </ul>
          </>
        )}
      </Popover>
    </div>
  );
}
