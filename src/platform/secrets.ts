import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Texts that are kept encrypted: passwords of integrations, keys of webhooks. */
export type Secrets = { seal(text: string): string; open(sealed: string): string };

/** The key is not the one it was sealed with, or somebody has changed it. */
export class SecretUnreadable extends Error {
  override name = 'SecretUnreadable';
}

const mark = 'v1:';
const nonceBytes = 12;
const tagBytes = 16;

/**
 * AES-256-GCM with a new nonce each time, so that the same text never looks the same twice:
 *
 *   v1: base64url( nonce 12 │ encrypted text │ tag 16 )
 */
export function createSecrets(key: Buffer, random: (size: number) => Buffer = randomBytes): Secrets {
  return {
    seal(text) {
      const nonce = random(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes });
      const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return mark + Buffer.concat([nonce, encrypted, cipher.getAuthTag()]).toString('base64url');
    },

    open(sealed) {
      const bytes = Buffer.from(sealed.slice(mark.length), 'base64url');
      if (!sealed.startsWith(mark) || bytes.length < nonceBytes + tagBytes) throw unreadable();
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes), { authTagLength: tagBytes });
      decipher.setAuthTag(bytes.subarray(bytes.length - tagBytes));
      const encrypted = bytes.subarray(nonceBytes, bytes.length - tagBytes);
      try {
        return Buffer.concat([decipher.update(encrypted), decipher.final()]).toString('utf8');
      } catch {
        throw unreadable();
      }
    },
  };
}

const unreadable = () =>
  new SecretUnreadable(
    'A stored secret cannot be opened with the present key; set FAULTLINE_SECRET_KEY to the key it was sealed with, or enter the secret again.',
  );
