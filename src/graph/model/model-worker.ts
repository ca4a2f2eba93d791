import { parentPort } from 'node:worker_threads';
import { decodeChange } from './change-codec.ts';
import type { Graph } from './graph.ts';
import { Overlay } from './overlay.ts';
import { Writer } from './prepare.ts';
import type { FromModel, ToModel } from './protocol.ts';
import { createScratchPool, runQuery } from './query.ts';
import { createQuerySchedule } from './query-schedule.ts';

/** A thread that walks: it shares the bases with the others and keeps its own overlays. */

type Team = { graph: Graph; writer: Writer };

const teams = new Map<string, Team>();
const scratches = createScratchPool();
const schedule = createQuerySchedule(post);

parentPort?.on('message', (message: ToModel) => {
  try {
    handle(message);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    if ('id' in message) return post({ type: 'failed', id: message.id, message: text });
    // Not a question but a change: this copy of the graph is wrong from here on.
    teams.delete(message.teamId);
    post({ type: 'broken', teamId: message.teamId, message: text });
  }
});

function handle(message: ToModel): void {
  switch (message.type) {
    case 'base':
      return setBase(message);
    case 'apply':
      // Unknown here: it was dropped, or broke, and will come again whole.
      if (teams.has(message.teamId)) applyChange(teamOf(message.teamId), message.teamId, message.payload);
      return;
    case 'drop':
      teams.delete(message.teamId);
      return;
    case 'query':
    case 'stream': {
      const { graph } = teamOf(message.teamId);
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
      const prepared = teamOf(message.teamId).writer.prepare(message.batch);
      return post({ type: 'prepared', id: message.id, prepared });
    }
    case 'prepareDelete': {
      const { writer } = teamOf(message.teamId);
      const prepared = writer.prepareDelete(message.label, message.name, message.detach);
      return post({ type: 'prepared', id: message.id, prepared });
    }
    case 'rollback':
      teams.get(message.teamId)?.writer.rollback();
  }
}

/** A new base for a team, known or not. Running answers keep the graph they began with. */
function setBase({ teamId, base, payloads }: Extract<ToModel, { type: 'base' }>): void {
  const graph: Graph = { base, overlay: undefined };
  let team = teams.get(teamId);
  if (team) team.graph = graph;
  else {
    const fresh: Team = { graph, writer: new Writer(teamId, () => fresh.graph) };
    team = fresh;
    teams.set(teamId, team);
  }
  for (const payload of payloads) applyChange(team, teamId, payload);
}

function applyChange(team: Team, teamId: string, payload: Uint8Array): void {
  const { base } = team.graph;
  if (!team.graph.overlay) {
    team.graph = { base, overlay: new Overlay(base) };
  } else schedule.finishWalks(teamId);
  team.graph.overlay?.apply(decodeChange(payload), schedule.isStreaming(teamId));
}

function teamOf(teamId: string): Team {
  const team = teams.get(teamId);
  if (!team) throw new Error('the graph of this team is not in memory');
  return team;
}

function versionOf({ base, overlay }: Graph): number {
  return (overlay ?? base).version;
}

function post(message: FromModel, transfer: ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer);
}
