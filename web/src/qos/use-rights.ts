import { useSession } from '../identity/session.tsx';
import { useCurrentTeam } from '../identity/teams.ts';

/** What the reader may do here: editors write rules, checks, sources and objectives and compute; managers change the configuration. */
export function useRights(): { mayEdit: boolean; mayManage: boolean } {
  const { hasRole, hasScope } = useSession();
  const { team } = useCurrentTeam();
  const mayWrite = hasScope('Write');
  return { mayEdit: mayWrite && hasRole(team, 'editor'), mayManage: mayWrite && hasRole(team, 'manager') };
}
