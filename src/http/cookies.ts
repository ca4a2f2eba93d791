import type { FastifyReply, FastifyRequest } from 'fastify';

/** Values are ours and never need quoting; they are not for scripts of the page, and not sent along with changes that another site asks for. */
type CookieOptions = { path: string; isSecure: boolean; expires?: Date; maxAgeSeconds?: number };

export function readCookie(request: FastifyRequest, name: string): string | undefined {
  for (const pair of request.headers.cookie?.split(';') ?? []) {
    const equals = pair.indexOf('=');
    if (equals >= 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return undefined;
}

/** Lax, not Strict: somebody who follows a link from a chat to a graph is still signed in. */
export function setCookie(reply: FastifyReply, name: string, value: string, options: CookieOptions): void {
  const { path, isSecure, expires, maxAgeSeconds } = options;
  const parts = [`${name}=${value}`, `Path=${path}`, 'HttpOnly', 'SameSite=Lax'];
  if (maxAgeSeconds !== undefined) parts.push(`Max-Age=${maxAgeSeconds}`);
  if (expires) parts.push(`Expires=${expires.toUTCString()}`);
  if (isSecure) parts.push('Secure');
  void reply.header('set-cookie', parts.join('; '));
}

export const clearCookie = (reply: FastifyReply, name: string, options: CookieOptions): void =>
  setCookie(reply, name, '', { ...options, expires: new Date(0) });
