import { randomBytes } from 'node:crypto';
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { newTestDirectory } from '../../test/harness/database.ts';
import { readConfig, taskEnvironment } from '../config.ts';
import { keyFromText, loadSecretKey } from './secret-key.ts';
import { createSecrets, SecretUnreadable } from './secrets.ts';

describe('secrets', () => {
  const secrets = createSecrets(randomBytes(32));

  test('what is sealed can be opened again, begins with v1: and does not show the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 4 }), (text) => {
        const sealed = secrets.seal(text);
        expect(sealed).toMatch(/^v1:[\w-]+$/);
        expect(sealed).not.toContain(text);
        expect(secrets.open(sealed)).toBe(text);
      }),
    );
  });

  test('the same text never looks the same twice', () => {
    expect(new Set(Array.from({ length: 100 }, () => secrets.seal('x'))).size).toBe(100);
  });

  test('another key, a changed byte and what was never sealed are refused with a sentence', () => {
    const sealed = secrets.seal('hunter2');
    expect(() => createSecrets(randomBytes(32)).open(sealed)).toThrow(SecretUnreadable);
    const bytes = Buffer.from(sealed.slice(3), 'base64url');
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] ^= 1;
      expect(() => secrets.open(`v1:${changed.toString('base64url')}`)).toThrow(SecretUnreadable);
    }
    for (const text of ['', 'v1:', 'v1:AAAA', 'hunter2', sealed.slice(0, 20)])
      expect(() => secrets.open(text)).toThrow('cannot be opened with the present key');
  });
});

describe('the key of secrets', () => {
  const warnings: string[] = [];
  const log = { warn: (_fields: object, message: string) => void warnings.push(message) };
  const load = (dataDir: string, configured?: string, isShared = false) =>
    loadSecretKey({ configured, dataDir, isShared, log });

  test('comes from a file that is made once, for its owner only', async () => {
    const dataDir = join(await newTestDirectory(), 'data');
    const keys = await Promise.all(Array.from({ length: 8 }, () => load(dataDir)));
    expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(1);
    expect(await readdir(dataDir)).toEqual(['secret.key']);
    expect((await stat(join(dataDir, 'secret.key'))).mode & 0o777).toBe(0o600);
    expect(keys[0].toString('base64')).toBe((await readFile(join(dataDir, 'secret.key'), 'utf8')).trim());
    expect(warnings).toEqual([]);
  });

  test('others who may read it, and processes that may need it, are warned of', async () => {
    const dataDir = await newTestDirectory();
    await load(dataDir, undefined, true);
    expect(warnings.splice(0)).toEqual([expect.stringContaining('FAULTLINE_SECRET_KEY')]);
    await chmod(join(dataDir, 'secret.key'), 0o644);
    await load(dataDir, undefined, true);
    expect(warnings.splice(0)).toEqual([expect.stringContaining('chmod 600')]);
  });

  test('a broken file stops the start and stays as it is', async () => {
    const dataDir = await newTestDirectory();
    await writeFile(join(dataDir, 'secret.key'), 'oops\n', { mode: 0o600 });
    await expect(load(dataDir)).rejects.toThrow('is not a key of 32 bytes');
    expect(await readFile(join(dataDir, 'secret.key'), 'utf8')).toBe('oops\n');
  });

  test('comes from the settings if they have one: bytes in base64 as they are, other text hashed', async () => {
    const dataDir = await newTestDirectory();
    const bytes = randomBytes(32);
    expect(await load(dataDir, bytes.toString('base64'))).toEqual(bytes);
    expect(await load(dataDir, bytes.toString('base64url'))).toEqual(bytes);
    expect(keyFromText('a passphrase that is long')).toHaveLength(32);
    expect(keyFromText('a passphrase that is long')).not.toEqual(keyFromText('a passphrase that is lonh'));
    expect(await readdir(dataDir)).toEqual([]);
  });

  test('is refused when it is short, without being shown, and is hidden from tasks', () => {
    expect(() => readConfig({ FAULTLINE_SECRET_KEY: 'tiny-key' })).toThrow(
      /^(?!.*tiny-key).*FAULTLINE_SECRET_KEY must have at least 16 characters/,
    );
    vi.stubEnv('FAULTLINE_SECRET_KEY', 'a key of 16 characters');
    expect(readConfig(process.env).secretKey).toBe('a key of 16 characters');
    expect(taskEnvironment()).not.toHaveProperty('FAULTLINE_SECRET_KEY');
    vi.unstubAllEnvs();
  });
});
