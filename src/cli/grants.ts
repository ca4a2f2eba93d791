import { notFound } from '../errors.ts';
import type { GrantArgument } from './arguments.ts';

/** The whole list that a change leads to; undefined where none was asked for. The server only knows whole lists. */
export function changeGrants(
  former: GrantArgument[],
  change: { set?: GrantArgument[]; remove?: string[]; replace?: boolean },
): GrantArgument[] | undefined {
  const { set = [], remove = [], replace = false } = change;
  if (set.length === 0 && remove.length === 0 && !replace) return undefined;
  const roles = new Map((replace ? [] : former).map(({ user, role }) => [user, role]));
  for (const user of remove) {
    const isThere = former.some((grant) => grant.user === user);
    if (!isThere) throw notFound(`The user "${user}" has no grant here; nothing was changed.`);
    roles.delete(user);
  }
  for (const { user, role } of set) roles.set(user, role);
  return [...roles].map(([user, role]) => ({ user, role }));
}
