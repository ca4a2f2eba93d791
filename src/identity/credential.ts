import { createHash, hash, timingSafeEqual } from 'node:crypto';

/**
 * Tokens look like `flt_<prefix>_<secret>`. The prefix is public and finds the row; the whole token's SHA-256 is what is stored and
 * compared. A fast hash is right here: the secret is 32 random bytes, not a password that could be guessed.
 */
export type RandomBytes = (size: number) => Buffer;

export function createToken(randomBytes: RandomBytes): string {
  return `flt_${randomBytes(6).toString('hex')}_${randomBytes(32).toString('base64url')}`;
}

/** What finds a token's row. A token that an operator chose has no public part, so a slice of its hash stands in. */
export function tokenPrefix(token: string): string {
  const match = /^flt_([0-9a-f]{12})_[\w-]{43}$/.exec(token);
  return match ? match[1] : `#${hash('sha256', `prefix:${token}`, 'hex').slice(0, 16)}`;
}

/**
 * Under which a proved token is remembered: its hash, so that no secret lies about in memory, and so that the time a look-up takes says
 * nothing about the token. One hash a request is all that a known token costs.
 */
export const tokenKey = (token: string): string => `token ${hash('sha256', token, 'base64')}`;

export const sessionKey = (secretHash: Buffer): string => `session ${secretHash.toString('base64')}`;

export const createSessionSecret = (randomBytes: RandomBytes): string => randomBytes(32).toString('base64url');

export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();

export const isSameHash = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b);

/** The page proves with this value that it can read our answers, which a foreign site cannot. */
export const csrfTokenOf = (sessionSecret: string): string => hash('sha256', `csrf:${sessionSecret}`, 'base64url');
