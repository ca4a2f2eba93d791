import { notFound } from '../errors.ts';
import type { Actor } from './access.ts';
import type { User, UserChange, UsersStore } from './users.store.ts';

export type UsersService = ReturnType<typeof createUsersService>;

export function createUsersService(deps: { store: UsersStore; authentication: { forget(): void } }) {
  const { store, authentication } = deps;
  return {
    list: () => store.list(),

    async get(id: string): Promise<User> {
      const user = await store.find(id);
      if (!user) throw notFound('There is no such user; GET /v1/users lists them.');
      return user;
    },

    create: (input: { name: string; admin?: boolean }, actor: Actor) =>
      store.create({ name: input.name, is_admin: input.admin ?? false }, actor),

    async update(id: string, change: { disabled?: boolean; admin?: boolean }, actor: Actor): Promise<User> {
      const columns: UserChange = {};
      if (change.disabled !== undefined) columns.is_disabled = change.disabled;
      if (change.admin !== undefined) columns.is_admin = change.admin;
      const updated = await store.update(id, columns, actor);
      if (!updated) throw notFound('There is no such user; GET /v1/users lists them.');
      authentication.forget();
      return updated;
    },
  };
}
