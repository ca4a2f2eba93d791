import { parentPort } from 'node:worker_threads';
import { stepBack } from '../../thread-priority.ts';
import { decodeChange } from './change-codec.ts';
import type { Graph } from './graph.ts';
import { Overlay } from './overlay.ts';
import { type Committed, Writer } from './prepare.ts';
import type { Prepared } from './prepared.ts';
import type { FromModel, ToModel } from './protocol.ts';
import { createScratchPool, runQuery } from './query.ts';
import { createQuerySchedule } from './query-schedule.ts';

/** A thread that walks: it shares the bases with the others and keeps its own overlays. */

/** Payloads are decoded when a question needs them, not before: a bulk load does not wait for overlays that nobody looks at. */
type Team = {
  graph: Graph;
  /** Everything after the base, and how many of them are in the overlay. */
  payloads: Uint8Array[];
  applied: number;
  writer: Writer;
};

const teams = new Map<string, Team>();
const scratches = createScratchPool();
const schedule = createQuerySchedule(post);
stepBack(10);

parentPort?.on('message', (message: ToModel) => {
  try {
    handle(message);
  } catch (error) {
    if (!('id' in message)) throw error;
    post({ type: 'failed', id: message.id, message: messageOf(error) });
  }
});

function handle(message: ToModel): void {
  switch (message.type) {
    case 'base':
      return setBase(message);
    case 'apply':
      // Unknown here: it was dropped, or broke, and will come again whole.
      teams.get(message.teamId)?.payloads.push(message.payload);
      return;
    case 'drop':
      teams.delete(message.teamId);
      return;
    case 'query':
    case 'stream': {
      const graph = newestGraph(message.teamId);
      const version = versionOf(graph);
      const credits = message.type === 'stream' ? message.credits : undefined;
      const steps = runQuery(graph, scratches, message.query);
      return schedule.start({ id: message.id, teamId: message.teamId, version, steps, credits });
    }
    case 'credit':
      return schedule.credit(message.id);
    case 'cancel':
      return schedule.cancel(message.id);
    case 'prepare': {
      const prepared = writerOf(message.teamId).prepare(message.batch);
      return post({ type: 'prepared', id: message.id, prepared }, transferables(prepared));
    }
    case 'prepareDelete': {
      const prepared = writerOf(message.teamId).prepareDelete(message.label, message.name, message.detach);
      return post({ type: 'prepared', id: message.id, prepared });
    }
    case 'rollback':
      teams.get(message.teamId)?.writer.rollback();
  }
}

/** A new base for a team, known or not. Running answers keep the graph they began with. */
function setBase({ teamId, base, payloads }: Extract<ToModel, { type: 'base' }>): void {
  const writer = teams.get(teamId)?.writer ?? new Writer(teamId, () => committed(teamOf(teamId)));
  teams.set(teamId, { graph: { base, overlay: undefined }, payloads: payloads.slice(), applied: 0, writer });
  writer.rebase();
}

function committed({ graph, payloads }: Team): Committed {
  return { base: graph.base, payloads };
}

/** Everything that was posted before is in it. */
function newestGraph(teamId: string): Graph {
  const team = teamOf(teamId);
  if (team.applied === team.payloads.length) return team.graph;
  const { base } = team.graph;
  // Questions under way over the bare base simply keep it.
  if (team.graph.overlay) schedule.finishWalks(teamId);
  const overlay = team.graph.overlay ?? new Overlay(base);
  const isStreaming = schedule.isStreaming(teamId);
  orBreak(teamId, () => {
    for (; team.applied < team.payloads.length; team.applied++)
      overlay.apply(decodeChange(team.payloads[team.applied]), isStreaming);
  });
  team.graph = { base, overlay };
  return team.graph;
}

/** What the writer does not know yet is read first: if that fails, it is the change that is wrong, not the batch. */
function writerOf(teamId: string): Writer {
  const { writer } = teamOf(teamId);
  orBreak(teamId, () => writer.catchUp());
  return writer;
}

/** A change that cannot be applied: this copy of the graph is wrong from here on. */
function orBreak(teamId: string, applyChanges: () => void): void {
  try {
    applyChanges();
  } catch (error) {
    teams.delete(teamId);
    post({ type: 'broken', teamId, message: messageOf(error) });
    throw notInMemory();
  }
}

function teamOf(teamId: string): Team {
  const team = teams.get(teamId);
  if (!team) throw notInMemory();
  return team;
}

function notInMemory(): Error {
  return new Error('the graph of this team is not in memory');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Rows are given away, not copied; the payload is shared. */
function transferables({ newNodes, newRelationships }: Prepared): ArrayBuffer[] {
  return [newNodes, newRelationships].flatMap((rows) => (rows ? [rows.rows.buffer] : []));
}

function versionOf({ base, overlay }: Graph): number {
  return (overlay ?? base).version;
}

function post(message: FromModel, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer);
}
