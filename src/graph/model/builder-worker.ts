import { parentPort } from 'node:worker_threads';
import { stepBack } from '../../thread-priority.ts';
import type { Base } from './base.ts';
import { BaseBuilder } from './base-builder.ts';
import { type CopyReader, createNodeReader, createRelationshipReader } from './copy-reader.ts';
import type { FromBuilder, SnapshotPlace, ToBuilder } from './protocol.ts';
import { rebuild } from './rebuild.ts';
import { readSnapshot, writeSnapshot } from './snapshot.ts';

/** The thread that builds bases: neither readers nor the writer ever wait for it. */

type Job = { builder: BaseBuilder; nodes: CopyReader; relationships: CopyReader };

const jobs = new Map<number, Job>();
stepBack(15);

parentPort?.on('message', (message: ToBuilder) => {
  try {
    handle(message);
  } catch (error) {
    jobs.delete(message.job);
    post({ type: 'failed', job: message.job, message: messageOf(error) });
  }
  if (message.type !== 'rows' && message.type !== 'abandon') post({ type: 'handled' });
});

function handle(message: ToBuilder): void {
  switch (message.type) {
    case 'rows':
      jobFor(message.job)[message.table].push(message.bytes);
      return post({ type: 'taken', job: message.job });
    case 'finish': {
      const job = jobFor(message.job);
      jobs.delete(message.job);
      job.nodes.finish();
      job.relationships.finish();
      return deliver(message.job, job.builder.finish(message.numbers), message.snapshot);
    }
    case 'abandon':
      jobs.delete(message.job);
      return;
    case 'rebuild':
      return deliver(message.job, rebuild(message.base, message.payloads), message.snapshot);
    case 'readSnapshot': {
      const read = readSnapshot(message.place.path, message.place.teamId);
      if (read.base) return post({ type: 'built', job: message.job, base: read.base });
      return post({ type: 'noSnapshot', job: message.job, reason: read.reason });
    }
  }
}

/** The base first: readers want it now, the file is for the next start. */
function deliver(job: number, base: Base, snapshot: SnapshotPlace | undefined): void {
  post({ type: 'built', job, base });
  if (snapshot) saveSnapshot(base, snapshot);
}

function saveSnapshot(base: Base, { path, teamId }: SnapshotPlace): void {
  try {
    writeSnapshot(path, teamId, base);
  } catch (error) {
    // A full disk costs a slower start, nothing else.
    post({ type: 'snapshotFailed', path, message: messageOf(error) });
  }
}

function jobFor(id: number): Job {
  let job = jobs.get(id);
  if (!job) {
    const builder = new BaseBuilder();
    job = { builder, nodes: createNodeReader(builder), relationships: createRelationshipReader(builder) };
    jobs.set(id, job);
  }
  return job;
}

function post(message: FromBuilder): void {
  parentPort?.postMessage(message, []);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
