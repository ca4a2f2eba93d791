import { createHash, randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { StartupError } from '../errors.ts';

const keyBytes = 32;
const keyFile = 'secret.key';

type Settings = {
  /** FAULTLINE_SECRET_KEY: 32 bytes in base64, or any long text. */
  configured: string | undefined;
  dataDir: string;
  /** Several processes, perhaps on several machines, share the database, and so must share the key. */
  isShared: boolean;
  log: { warn(fields: object, message: string): void };
};

/** The key that secrets are sealed with: from the settings, else from a file in the data directory, made at the first start. */
export async function loadSecretKey({ configured, dataDir, isShared, log }: Settings): Promise<Buffer> {
  if (configured !== undefined) return keyFromText(configured);
  const file = join(dataDir, keyFile);
  const shown = relative('', file) || file;
  try {
    const isNew = await createKeyFile(dataDir, file);
    if (isNew && isShared) {
      log.warn({ file: shown }, 'made a key for secrets; other processes need the same: set FAULTLINE_SECRET_KEY');
    }
    const { mode } = await stat(file);
    // Only a warning: some systems widen the rights of mounted files, and refusing to start would not take them back.
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      log.warn({ file: shown }, 'the key of secrets can be read by others; take their rights away with chmod 600');
    }
    return parseKeyFile(await readFile(file, 'utf8'), shown);
  } catch (error) {
    if (error instanceof StartupError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartupError(`The key of secrets in ${shown} cannot be made or read (${reason}).`, { cause: error });
  }
}

/** 32 bytes in base64 are the key itself; any other text is hashed to one. */
export function keyFromText(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  const isBase64 = bytes.length === keyBytes && /^[A-Za-z0-9+/_-]{43}=?$/.test(text);
  return isBase64 ? bytes : createHash('sha256').update('faultline secret key\n').update(text).digest();
}

/**
 * The file appears under its name whole or not at all, and never over another: it is written beside and then linked, which fails if the
 * name is taken. So of two processes that start at once both use the same key.
 */
async function createKeyFile(dataDir: string, file: string): Promise<boolean> {
  if (await exists(file)) return false;
  await mkdir(dataDir, { recursive: true });
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, `${randomBytes(keyBytes).toString('base64')}\n`, { flag: 'wx', mode: 0o600, flush: true });
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if (await exists(file)) return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

function parseKeyFile(text: string, shown: string): Buffer {
  const key = Buffer.from(text.trim(), 'base64');
  if (key.length === keyBytes) return key;
  throw new StartupError(
    `${shown} is not a key of ${keyBytes} bytes in base64; bring back the former file, or remove it and enter all passwords of integrations and channels again.`,
  );
}

const exists = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );
