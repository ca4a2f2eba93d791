import { conflict, FaultlineError, notFound } from '../errors.ts';
import type { Actor } from '../identity/access.ts';
import type { GraphStore } from './graph.store.ts';
import type { LineBatch } from './line-batches.ts';
import type { DependenciesQuestion } from './model/answer-dependencies.ts';
import { type DependencyTable, decodeTable } from './model/dependency-table.ts';
import type { BatchMode, LineError } from './model/prepare.ts';
import type { Prepared } from './model/prepared.ts';
import type { Answer } from './model/protocol.ts';
import type { GraphQuery } from './model/query.ts';
import type { ReadModel } from './model/read-model.ts';
import { createRememberedAnswers } from './remembered-answers.ts';
import { type TeamModels, unknownNode } from './team-models.service.ts';
import { createWriterQueue } from './writer-queue.ts';

export type { DependenciesQuestion, DependencyTable };
export type GraphService = ReturnType<typeof createGraphService>;
export type IngestResult = {
  accepted: number;
  unchanged: number;
  rejected: number;
  version: number;
  errors: LineError[];
};

type Job = { actor: Actor } & (
  | { kind: 'batch'; mode: BatchMode; batch: LineBatch }
  | { kind: 'delete'; label: string; name: string; detach: boolean }
);
type Log = { info(fields: object, message: string): void };

/** Batches of one request that may be under way: one being written, one being prepared, one ready to be prepared next. */
const batchesUnderWay = 3;
/** With so many under way in all requests together, each has to do with one. */
const manyBatches = 16;
const maxErrors = 100;

export function createGraphService(deps: { store: GraphStore; readModel: ReadModel; models: TeamModels; log: Log }) {
  const { store, readModel, models, log } = deps;
  const writers = new Map<string, ReturnType<typeof createWriterQueue<Job, Prepared>>>();

  let batchesInMemory = 0;
  const remembered = createRememberedAnswers((teamId, query) => readModel.query(teamId, query));
  const ask = (teamId: string, query: GraphQuery): Promise<Answer> =>
    remembered(teamId, readModel.version(teamId) ?? 0, query).then(found);

  function writerOf(teamId: string) {
    let writer = writers.get(teamId);
    if (!writer) {
      writer = createWriterQueue<Job, Prepared>({
        prepare: (job) => prepare(teamId, job),
        write: (job, prepared) => write(teamId, job, prepared),
        recover: async () => {
          readModel.rollback(teamId);
          await models.ensureNewest(teamId);
        },
      });
      writers.set(teamId, writer);
    }
    return writer;
  }

  async function prepare(teamId: string, job: Job): Promise<Prepared> {
    if (!readModel.isLoaded(teamId)) await models.ensureNewest(teamId);
    if (job.kind === 'batch')
      return readModel.prepare(teamId, { mode: job.mode, firstLine: job.batch.firstLine, ndjson: job.batch.bytes });
    const prepared = await readModel.prepareDelete(teamId, job.label, job.name, job.detach);
    if (prepared === undefined) throw unknownNode();
    if (prepared === 'has_relationships') {
      throw conflict('The node has relationships; add ?detach to remove them with it.');
    }
    return prepared;
  }

  async function write(teamId: string, job: Job, prepared: Prepared): Promise<'written' | 'behind'> {
    // "Nothing changes" is only true of the newest state.
    if (!prepared.payload) return (await models.ensureNewest(teamId)) === prepared.basedOn ? 'written' : 'behind';
    const action = job.kind === 'delete' ? 'graph.delete_node' : job.mode === 'add' ? 'graph.add' : 'graph.remove';
    const { payload } = prepared;
    const { outcome, applied } = await models.noteWrite(
      teamId,
      store.write(teamId, prepared, job.actor, action).then((outcome) => ({
        outcome,
        applied: outcome === 'written' ? readModel.apply(teamId, payload) : undefined,
      })),
    );
    if (outcome === 'no team') throw notFound('There is no such team any more.');
    if (applied === 'gap') await models.catchUp(teamId);
    return outcome;
  }

  function query(teamId: string, question: GraphQuery, atLeast: number | undefined): Promise<Answer> {
    // The path of almost every question: no promise more than the answer itself needs.
    if (models.isNewest(teamId, atLeast)) return ask(teamId, question);
    if (readModel.isLoaded(teamId) && atLeast === undefined) return askAtOnce(teamId, question);
    return askWhenReady(teamId, question, atLeast);
  }

  /** Usually nobody else has written: the question is walked while the database says so, and only asked again if somebody had. */
  async function askAtOnce(teamId: string, question: GraphQuery): Promise<Answer> {
    // The database first: it works while a small question is answered here.
    const asking = models.newestVersion(teamId);
    asking.catch(() => undefined); // looked at below, as the next one
    const asked = remembered(teamId, readModel.version(teamId) ?? 0, question);
    asked.catch(() => undefined);
    const newest = await asking;
    const answer = await asked.catch(() => undefined);
    return answer && answer.version >= newest ? found(answer) : askWhenReady(teamId, question, undefined);
  }

  function askWhenReady(teamId: string, question: GraphQuery, atLeast: number | undefined): Promise<Answer> {
    return models.ensure(teamId, atLeast).then(() =>
      // A team that had to leave memory in this very moment is asked for once more.
      readModel.isLoaded(teamId) ? ask(teamId, question) : query(teamId, question, atLeast),
    );
  }

  return {
    ensure: models.ensure,

    query,

    async stream(teamId: string, query: GraphQuery, atLeast: number | undefined) {
      await models.ensure(teamId, atLeast);
      return found(await readModel.stream(teamId, query));
    },

    /** All messages of one request, batch by batch. What was written before a failure stays, and is told. */
    async ingest(
      teamId: string,
      mode: BatchMode,
      batches: AsyncIterable<LineBatch>,
      actor: Actor,
    ): Promise<IngestResult> {
      const result: IngestResult = { accepted: 0, unchanged: 0, rejected: 0, version: 0, errors: [] };
      const underWay: Promise<void>[] = [];
      const writer = writerOf(teamId);
      try {
        for await (const batch of batches) {
          while (underWay.length >= (batchesInMemory < manyBatches ? batchesUnderWay : 1)) await underWay.shift();
          batchesInMemory++;
          const written = writer
            .push({ kind: 'batch', mode, batch, actor })
            .then((prepared) => addUp(result, prepared))
            .finally(() => batchesInMemory--);
          written.catch(() => undefined); // awaited below, or in the next round
          underWay.push(written);
        }
        for (const written of underWay.splice(0)) await written;
      } catch (error) {
        await Promise.allSettled(underWay);
        log.info(
          { teamId, accepted: result.accepted, version: result.version, requestId: actor.requestId, err: error },
          'ingest broke off',
        );
        throw tellHowFar(error, result);
      }
      if (result.version === 0) result.version = await models.ensureNewest(teamId);
      return result;
    },

    async deleteNode(teamId: string, label: string, name: string, detach: boolean, actor: Actor): Promise<number> {
      // A refusal is never compared with the database as a change is, so it has to be decided on the newest state.
      await models.ensureNewest(teamId);
      const prepared = await writerOf(teamId).push({ kind: 'delete', label, name, detach, actor });
      return prepared.version;
    },

    async listLabels(teamId: string, atLeast?: number): Promise<{ name: string; nodes_count: number }[]> {
      await models.ensure(teamId, atLeast);
      const { value } = await readModel.query(teamId, { kind: 'labels' });
      return value as { name: string; nodes_count: number }[]; // what this kind of question answers
    },

    /** Some nodes of a label, and what they depend on during a day. */
    async dependencyTable(teamId: string, question: DependenciesQuestion): Promise<DependencyTable> {
      await models.ensure(teamId, undefined);
      const { bytes } = await readModel.query(teamId, { kind: 'dependencyTable', ...question });
      if (!bytes) throw new Error('a dependency table came without its bytes');
      return decodeTable(bytes);
    },

    /** Cuts a label into pieces of `every` nodes in the order of ids: the first id of each piece, 0 for the first; empty without nodes. */
    async labelChunks(teamId: string, label: string, every: number): Promise<number[]> {
      await models.ensure(teamId, undefined);
      const { value } = await readModel.query(teamId, { kind: 'labelChunks', label, every });
      return value as number[]; // what this kind of question answers
    },

    /** Throws `not_found` for an unknown node. */
    async nodeId(teamId: string, label: string, name: string): Promise<number> {
      const { value } = await query(teamId, { kind: 'nodeId', label, name }, undefined);
      return value as number; // what this kind of question answers
    },
  };
}

function found<Answered extends { isFound: boolean }>(answer: Answered): Answered {
  if (!answer.isFound) throw unknownNode();
  return answer;
}

function addUp(result: IngestResult, prepared: Prepared): void {
  result.accepted += prepared.accepted;
  result.unchanged += prepared.unchanged;
  result.rejected += prepared.rejected;
  result.version = prepared.version;
  result.errors.push(...prepared.errors.slice(0, maxErrors - result.errors.length));
}

function tellHowFar(error: unknown, { accepted, version }: IngestResult): unknown {
  if (!(error instanceof FaultlineError) || accepted === 0) return error;
  const message = `${error.message} ${accepted} messages before it were taken (version ${version}); sending all of them again is harmless.`;
  return new FaultlineError(error.code, message, {
    details: error.details,
    retryAfterSeconds: error.retryAfterSeconds,
  });
}
