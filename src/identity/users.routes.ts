import { z } from 'zod';
import { notFound } from '../errors.ts';
import { actorOf, identityOf } from '../http/authentication.ts';
import { createRememberedJson } from '../http/remembered-json.ts';
import { emptyObject, isUuid, pathId, toSecondsTimestamp } from '../http/schemas.ts';
import type { Server } from '../http/server.ts';
import type { Identity, Scope } from './access.ts';
import {
  administeredUser,
  administeredUserList,
  createdToken,
  currentUser,
  newToken,
  newUser,
  tokenList,
  userChange,
  userList,
} from './identity.schemas.ts';
import type { TokensService } from './tokens.service.ts';
import type { Token } from './tokens.store.ts';
import type { UsersService } from './users.service.ts';
import type { User } from './users.store.ts';

export function registerUserRoutes(app: Server, deps: { users: UsersService; tokens: TokensService }): void {
  const { users, tokens } = deps;
  const tags = ['Users'];
  const sendCurrentUser = createRememberedJson(toCurrentUser);

  app.get('/v1/users', {
    config: { access: { scope: 'Read' } },
    schema: { tags, summary: 'List the users', response: { 200: userList } },
    handler: async () => ({ users: (await users.list()).map(toUser) }),
  });

  app.get('/v1/users/me', {
    config: { access: { scope: 'Read' } },
    schema: { tags, summary: 'The user behind this request, with scopes and grants', response: { 200: currentUser } },
    // No await and no copy of what cannot change: this is the route that is asked most often.
    handler: (request, reply) => void sendCurrentUser(reply, identityOf(request)),
  });

  app.post('/v1/users', {
    config: { access: { scope: 'Admin' } },
    schema: { tags, summary: 'Create a user', body: newUser, response: { 201: administeredUser } },
    handler: async (request, reply) =>
      reply.code(201).send(toAdministeredUser(await users.create(request.body, actorOf(request)))),
  });

  app.get('/v1/users/administered', {
    config: { access: { scope: 'Admin' } },
    schema: {
      tags,
      summary: 'List the users with what administrators change: who is one, and who is disabled',
      response: { 200: administeredUserList },
    },
    handler: async () => ({ users: (await users.list()).map(toAdministeredUser) }),
  });

  const one = z.object({ id: pathId('User id') });
  app.patch('/v1/users/:id', {
    config: { access: { scope: 'Admin' } },
    schema: {
      tags,
      summary: 'Disable or enable a user, or make one an administrator',
      params: one,
      body: userChange,
      response: { 200: administeredUser },
    },
    handler: async (request) =>
      toAdministeredUser(await users.update(userIdOf(request.params.id), request.body, actorOf(request))),
  });

  app.get('/v1/users/me/tokens', {
    config: { access: { scope: 'Read' } },
    schema: { tags, summary: 'List your tokens', response: { 200: tokenList } },
    handler: async (request) => ({ tokens: (await tokens.list(identityOf(request).userId)).map(toToken) }),
  });

  app.post('/v1/users/me/tokens', {
    config: { access: { scope: 'Write' } },
    schema: { tags, summary: 'Create a token for yourself', body: newToken, response: { 201: createdToken } },
    handler: async (request, reply) => {
      const identity = identityOf(request);
      const created = await tokens.create(identity.userId, request.body, identity, actorOf(request));
      return reply.code(201).send({ ...toToken(created), token: created.token });
    },
  });

  const oneOfMine = z.object({ token_id: pathId('Token id') });
  app.delete('/v1/users/me/tokens/:token_id', {
    config: { access: { scope: 'Write' } },
    schema: { tags, summary: 'Revoke one of your tokens', params: oneOfMine, response: { 200: emptyObject } },
    handler: async (request) => {
      await tokens.revoke(identityOf(request).userId, tokenIdOf(request.params.token_id), actorOf(request));
      return {};
    },
  });

  app.get('/v1/users/:id/tokens', {
    config: { access: { scope: 'Admin' } },
    schema: { tags, summary: "List a user's tokens", params: one, response: { 200: tokenList } },
    handler: async (request) => ({ tokens: (await tokens.list(userIdOf(request.params.id))).map(toToken) }),
  });

  app.post('/v1/users/:id/tokens', {
    config: { access: { scope: 'Admin' } },
    schema: {
      tags,
      summary: 'Create a token for a user',
      params: one,
      body: newToken,
      response: { 201: createdToken },
    },
    handler: async (request, reply) => {
      const created = await tokens.create(
        userIdOf(request.params.id),
        request.body,
        identityOf(request),
        actorOf(request),
      );
      return reply.code(201).send({ ...toToken(created), token: created.token });
    },
  });

  app.delete('/v1/users/:id/tokens/:token_id', {
    config: { access: { scope: 'Admin' } },
    schema: {
      tags,
      summary: "Revoke a user's token",
      params: one.extend(oneOfMine.shape),
      response: { 200: emptyObject },
    },
    handler: async (request) => {
      await tokens.revoke(userIdOf(request.params.id), tokenIdOf(request.params.token_id), actorOf(request));
      return {};
    },
  });
}

function userIdOf(id: string): string {
  if (!isUuid(id)) throw notFound('There is no such user; GET /v1/users lists them.');
  return id;
}

function tokenIdOf(id: string): string {
  if (!isUuid(id)) throw notFound('There is no such token; the list of tokens shows their ids.');
  return id;
}

function toUser(user: User) {
  return {
    id: user.id,
    name: user.name,
    createdAt: toSecondsTimestamp(user.created_at),
    updatedAt: toSecondsTimestamp(user.updated_at),
  };
}

const toAdministeredUser = (user: User) => ({ ...toUser(user), admin: user.is_admin, disabled: user.is_disabled });

function toCurrentUser(identity: Identity) {
  return {
    id: identity.userId,
    name: identity.userName,
    createdAt: toSecondsTimestamp(identity.userCreatedAt),
    updatedAt: toSecondsTimestamp(identity.userUpdatedAt),
    admin: identity.isAdmin,
    scopes: [...identity.scopes],
    grants: Object.fromEntries([...identity.grants.values()].map((grant) => [grant.teamName, grant.role])),
  };
}

function toToken(token: Token) {
  return {
    id: token.id,
    name: token.name,
    prefix: token.prefix,
    scopes: token.scopes as Scope[], // only scopes are ever written
    created_at: token.created_at.toISOString(),
    expires_at: token.expires_at?.toISOString() ?? null,
    last_used_at: token.last_used_at?.toISOString() ?? null,
  };
}
