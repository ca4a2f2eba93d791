import { useEffect } from 'react';
import { useLocation, useRoute, useSearch } from 'wouter';
import { useApi } from '../api/hooks.ts';
import type { Team } from '../api/types.ts';
import { teamPath } from '../routing/paths.ts';

const key = 'faultline.team';

/** The teams that the user may see. */
const useTeams = () => useApi<{ teams: Team[] }>('/v1/teams', { staleMs: 60_000 });

/**
 * The team of the address, which names it in its path or as `?team=`; where it names none, the one looked at last, or else the first.
 * Undefined while the teams are not known, or if there is none.
 */
export function useCurrentTeam(): { team: Team | undefined; teams: Team[]; isKnown: boolean } {
  const query = useTeams();
  const [, params] = useRoute('/app/teams/:team/*?');
  const search = useSearch();
  const inAddress = params?.team ?? new URLSearchParams(search).get('team') ?? undefined;
  const teams = query.data?.teams ?? [];
  const wanted = inAddress ?? localStorage.getItem(key);
  const found = teams.find((team) => team.id === wanted);
  // An address that names a team nobody may see must not silently show another one.
  const team = found ?? (inAddress === undefined ? teams[0] : undefined);
  const teamId = found?.id;
  useEffect(() => {
    if (teamId !== undefined) localStorage.setItem(key, teamId);
  }, [teamId]);
  return { team, teams, isKnown: query.data !== undefined };
}

/** Where a switch of the team leads: to the same subject, if that is one of a team. */
export function useTeamAddress(): (teamId: string) => string {
  const [path] = useLocation();
  return (teamId) => {
    if (path.startsWith('/app/platform/')) return `${path}?team=${teamId}`;
    const subject = /^\/app\/teams\/[^/]+(\/explorer|\/qos)?/.exec(path)?.[1] ?? '';
    return teamPath(teamId) + subject;
  };
}
