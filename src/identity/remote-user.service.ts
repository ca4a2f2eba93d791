import { FaultlineError } from '../errors.ts';
import type { Actor, Identity } from './access.ts';
import type { AuthenticationService } from './authentication.service.ts';
import { userName } from './identity.schemas.ts';
import type { UsersStore } from './users.store.ts';

/** Names that a trusted proxy sends in `X-Remote-User`. A name seen for the first time becomes a user, without any grant. */
export function createRemoteUserLookup(deps: { authentication: AuthenticationService; users: UsersStore }) {
  const { authentication, users } = deps;
  return async (name: string, actor: Actor): Promise<Identity | undefined> => {
    if (!userName.safeParse(name).success) return undefined;
    const known = await authentication.findByUserName(name);
    if (known) return known;
    // It may exist all the same: disabled, or made by another request a moment ago.
    if (!(await users.findByName(name))) {
      await users.create({ name }, { ...actor, userName: name }).catch(ignoreConflict);
    }
    return authentication.findByUserName(name);
  };
}

/** Several first requests of one person may come at the same time, and any of them may be the first. */
function ignoreConflict(error: unknown): void {
  if (!(error instanceof FaultlineError && error.code === 'conflict')) throw error;
}
