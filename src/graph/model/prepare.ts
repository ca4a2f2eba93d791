import { type Message, type MessageNode, parseMessage } from '../message.ts';
import { addFact, removeFact } from '../periods.ts';
import type { Graph } from './graph.ts';
import { eachLine } from './lines.ts';
import { type Prepared, toPrepared } from './prepared.ts';
import { MAX_NODES, type StagedNode, Staging } from './staging.ts';

export type BatchMode = 'add' | 'remove';

/** Complete NDJSON lines as bytes, or values that were parsed already; `firstLine` counts from 1. */
export type Batch = { mode: BatchMode; firstLine: number } & ({ ndjson: Uint8Array } | { messages: unknown[] });

export type LineError = { line: number; message: string };

export type BatchTally = { accepted: number; unchanged: number; rejected: number; errors: LineError[]; lines: number };

/** Beyond these an answer only counts. */
const MAX_ERRORS = 100;

/**
 * Turns batches of messages into rows and changes, ahead of the database: a batch may be prepared while the one before
 * it is still being written. One writer per team, so ids are simply counted on.
 *
 *   prepare 1   prepare 2   commit 1   prepare 3   rollback      2 and 3 are forgotten, the next one builds on 1
 */
export class Writer {
  readonly #teamId: string;
  readonly #graph: () => Graph;
  #pending: Array<{ version: number; staging: Staging }> = [];

  constructor(teamId: string, graph: () => Graph) {
    this.#teamId = teamId;
    this.#graph = graph;
  }

  prepare(batch: Batch): Prepared {
    const staging = this.#begin();
    const tally: BatchTally = { accepted: 0, unchanged: 0, rejected: 0, errors: [], lines: 0 };
    const take = batch.mode === 'add' ? addMessage : removeMessage;
    const reject = (line: number, message: string) => {
      tally.rejected++;
      if (tally.errors.length < MAX_ERRORS) tally.errors.push({ line, message });
    };
    const each = (value: unknown, line: number) => {
      const message = parseMessage(value);
      if (typeof message === 'string') return reject(line, message);
      if (staging.nextNodeId + 2 > MAX_NODES) return reject(line, `a team holds at most ${MAX_NODES} nodes`);
      tally.accepted++;
      if (!take(staging, message)) tally.unchanged++;
    };
    if ('ndjson' in batch) tally.lines = eachLine(batch.ndjson, batch.firstLine, each, reject);
    else {
      for (const [i, value] of batch.messages.entries()) each(value, batch.firstLine + i);
      tally.lines = batch.messages.length;
    }
    return this.#finish(staging, tally);
  }

  /** Undefined for an unknown node; a refusal while it has relationships, unless they are to go with it. */
  prepareDelete(label: string, name: string, detach: boolean): Prepared | 'has_relationships' | undefined {
    const staging = this.#begin();
    const node = staging.findNode(label, name);
    if (!node) return undefined;
    const relationships = staging.listRelationships(node.id);
    if (relationships.length > 0 && !detach) return 'has_relationships';
    for (const { id, source, target } of relationships) staging.deleteRelationship(id, source, target);
    staging.deleteNode(node);
    const tally = { accepted: 1, unchanged: 0, rejected: 0, errors: [], lines: 0 };
    return this.#finish(staging, tally, [node.id]);
  }

  /** The batch that leads to `version` is in the graph now. */
  committed(version: number): void {
    this.#pending = this.#pending.filter((pending) => pending.version > version);
  }

  /** Forgets everything prepared and not committed. */
  rollback(): void {
    this.#pending = [];
  }

  #begin(): Staging {
    const graph = this.#graph();
    const version = (graph.overlay ?? graph.base).version;
    this.committed(version);
    const before = this.#pending.map(({ staging }) => staging);
    return new Staging(graph, before, this.#pending.at(-1)?.version ?? version);
  }

  #finish(staging: Staging, tally: BatchTally, deletedNodes: number[] = []): Prepared {
    const prepared = toPrepared(this.#teamId, staging, tally, deletedNodes);
    // Only looked at while preparing; kept, each batch would hold on to all before it.
    staging.before.length = 0;
    if (prepared.payload) this.#pending.push({ version: prepared.version, staging });
    return prepared;
  }
}

/** Whether the message changed anything. */
function addMessage(staging: Staging, message: Message): boolean {
  const source = staging.findNode(message.source.label, message.source.name);
  const from = source ?? staging.addNode(message.source.label, message.source.name);
  let isChanged = source === undefined;
  isChanged = setTimes(from, message.source) || isChanged;
  if (!message.target) return isChanged;
  const target = staging.findNode(message.target.label, message.target.name);
  const to = target ?? staging.addNode(message.target.label, message.target.name);
  isChanged = setTimes(to, message.target) || isChanged || target === undefined;
  const relationship = staging.findRelationship(from.id, to.id);
  if (!relationship) {
    staging.addRelationship(from.id, to.id, addFact(null, message.rel));
    return true;
  }
  const facts = addFact(relationship.facts, message.rel);
  if (facts === relationship.facts) return isChanged;
  relationship.facts = facts;
  relationship.isChanged = true;
  return true;
}

/** Takes back what the message said; whether that changed anything. */
function removeMessage(staging: Staging, message: Message): boolean {
  const source = staging.findNode(message.source.label, message.source.name);
  if (!source) return false;
  if (!message.target) return clearTimes(source, message.source);
  const target = staging.findNode(message.target.label, message.target.name);
  const relationship = target && staging.findRelationship(source.id, target.id);
  if (!relationship) return false;
  const facts = removeFact(relationship.facts, message.rel);
  if (facts === relationship.facts) return false;
  if (facts === null) staging.deleteRelationship(relationship.id, source.id, target.id);
  else {
    relationship.facts = facts;
    relationship.isChanged = true;
  }
  return true;
}

function setTimes(node: StagedNode, { from, to }: MessageNode): boolean {
  let isChanged = false;
  if (from !== undefined && from !== node.from) {
    node.from = from;
    isChanged = true;
  }
  if (to !== undefined && to !== node.to) {
    node.to = to;
    isChanged = true;
  }
  node.isChanged ||= isChanged;
  return isChanged;
}

function clearTimes(node: StagedNode, { from, to }: MessageNode): boolean {
  return setTimes(node, {
    label: node.label,
    name: node.name,
    from: from !== undefined && from === node.from ? null : undefined,
    to: to !== undefined && to === node.to ? null : undefined,
  });
}
