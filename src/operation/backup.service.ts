import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { writeAudit } from '../db/audit.ts';
import { writeBackup } from '../db/backup.ts';
import type { Database } from '../db/open.ts';
import { conflict, unavailable } from '../errors.ts';
import type { Actor } from '../identity/access.ts';

export type BackupService = ReturnType<typeof createBackupService>;

/**
 * Backups through the server. On the embedded database nobody else is served while the data is read, so it goes to a file at
 * full speed first, and a slow client reads that.
 */
export function createBackupService(deps: { database: Database }) {
  const { database } = deps;
  let isBusy = false;
  return {
    /** `signal` says that the client has gone: whatever state this is in, it ends, and nothing of it stays. */
    async create(actor: Actor, signal: AbortSignal): Promise<{ stream: Readable; bytes: number }> {
      if (isBusy) throw conflict('A backup is being made already; try again when it is done.');
      isBusy = true;
      let reader: FileHandle | undefined;
      try {
        const spool = await openNamelessFile();
        reader = spool.reader;
        await fill(database, spool.writer, signal);
        const { size: bytes } = await reader.stat();
        // Before the first byte leaves: nobody has the data without a trace of it.
        await writeAudit(database.db, actor, { action: 'backup.create', target: 'database', details: { bytes } });
        if (signal.aborted) throw clientGone();
        const stream = reader.createReadStream();
        stream.once('close', () => {
          isBusy = false;
        });
        signal.addEventListener('abort', () => stream.destroy());
        return { stream, bytes };
      } catch (error) {
        await reader?.close();
        isBusy = false;
        throw error;
      }
    },
  };
}

/** Its name goes at once, so that no accident leaves it behind, and the space comes back when it is closed. */
async function openNamelessFile(): Promise<{ writer: FileHandle; reader: FileHandle }> {
  const file = join(tmpdir(), `faultline-backup-${randomUUID()}`);
  const writer = await open(file, 'wx', 0o600);
  const reader = await open(file, 'r');
  await unlink(file);
  return { writer, reader };
}

/** Closes the writer in any case. */
async function fill(database: Database, writer: FileHandle, signal: AbortSignal): Promise<void> {
  const sink = writer.createWriteStream();
  // Destroyed before the backup has taken hold of it, its error would have no other listener.
  sink.on('error', () => {});
  const stop = () => sink.destroy(clientGone());
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop);
  try {
    await writeBackup(database, sink);
  } catch (error) {
    sink.destroy();
    throw signal.aborted ? clientGone() : error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

const clientGone = () => unavailable('The client went away before its backup was made.');
