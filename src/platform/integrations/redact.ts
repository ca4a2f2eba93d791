import { passwordPlaceholder } from './integrations.schemas.ts';

/** Shorter secrets than this cannot be told from ordinary text. */
const shortest = 4;
/** So much of a secret in a row gives it away: what others repeat may be cut anywhere. */
const tellingLength = 6;

/**
 * What others answered may repeat what they were sent, in whatever coat and with its beginning or end missing: no such piece of a secret
 * leaves with it.
 */
export function redact(text: string, secrets: string[]): string {
  const isHidden = new Uint8Array(text.length);
  for (const coat of new Set(secrets.filter((secret) => secret.length >= shortest).flatMap(coatsOf))) {
    const length = Math.min(tellingLength, coat.length);
    for (let start = 0; start + length <= coat.length; start++) {
      const piece = coat.slice(start, start + length);
      for (let at = text.indexOf(piece); at !== -1; at = text.indexOf(piece, at + 1)) isHidden.fill(1, at, at + length);
    }
  }
  let result = '';
  for (let at = 0; at < text.length; at++) {
    if (isHidden[at] === 0) result += text[at];
    else if (at === 0 || isHidden[at - 1] === 0) result += passwordPlaceholder;
  }
  return result;
}

function coatsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    encodeURIComponent(secret).replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`),
    new URLSearchParams({ '': secret }).toString().slice(1),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ];
}
