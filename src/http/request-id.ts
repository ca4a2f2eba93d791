import { randomBytes } from 'node:crypto';

/** Keeps a caller's own id when it is harmless, so that one id follows a request through several systems; otherwise counts. */
export function createRequestIds(): (given: string | string[] | undefined) => string {
  const prefix = randomBytes(6).toString('base64url');
  let count = 0;
  return (given) =>
    typeof given === 'string' && /^[\w.:-]{1,100}$/.test(given) ? given : `${prefix}-${(++count).toString(36)}`;
}
