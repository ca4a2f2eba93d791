import type { Base } from '../base.ts';
import { BaseBuilder } from '../base-builder.ts';
import { decodeChange } from '../change-codec.ts';
import type { Graph } from '../graph.ts';
import { Overlay } from '../overlay.ts';
import { type Batch, Writer } from '../prepare.ts';
import { createScratchPool, type GraphQuery, type QueryOutcome, runQuery } from '../query.ts';
import { rebuild } from '../rebuild.ts';

export const TEAM_ID = '11111111-2222-4333-8444-555555555555';

export function emptyBase(): Base {
  return new BaseBuilder().finish({ version: 0, nextNodeId: 0, nextRelationshipId: 0 });
}

/** One team's model in this thread, driven the way a worker drives it. */
export class TeamModel {
  graph: Graph = { base: emptyBase(), overlay: undefined };
  payloads: Uint8Array[] = [];
  readonly writer = new Writer(TEAM_ID, () => ({ base: this.graph.base, payloads: this.payloads }));
  readonly #scratches = createScratchPool();

  write(mode: Batch['mode'], messages: unknown[]) {
    const prepared = this.writer.prepare({ mode, firstLine: 1, messages });
    this.commit(prepared.payload);
    return prepared;
  }

  delete(label: string, name: string, detach: boolean) {
    const prepared = this.writer.prepareDelete(label, name, detach);
    if (typeof prepared === 'object') this.commit(prepared.payload);
    return prepared;
  }

  commit(payload: Uint8Array | undefined): void {
    if (!payload) return;
    const { base } = this.graph;
    const overlay = this.graph.overlay ?? new Overlay(base);
    overlay.apply(decodeChange(payload));
    this.graph = { base, overlay };
    this.payloads.push(payload);
  }

  rebuild(): void {
    this.replaceBase(rebuild(this.graph.base, this.payloads));
  }

  replaceBase(base: Base): void {
    this.graph = { base, overlay: undefined };
    this.payloads = [];
    this.writer.rebase();
  }

  /** The answer as the client would read it; undefined for an unknown node. */
  ask(query: GraphQuery): unknown {
    const { outcome, bytes } = this.#run(query);
    if (!outcome.isFound) return undefined;
    return outcome.value ?? JSON.parse(bytes.toString());
  }

  /** The messages of an export, sorted. */
  export(): string[] {
    return this.#run({ kind: 'export' }).bytes.toString().trimEnd().split('\n').toSorted();
  }

  #run(query: GraphQuery): { outcome: QueryOutcome; bytes: Buffer } {
    const steps = runQuery(this.graph, this.#scratches, query);
    const chunks: Uint8Array[] = [];
    for (;;) {
      const step = steps.next();
      if (step.done) return { outcome: step.value, bytes: Buffer.concat(chunks) };
      if (step.value) chunks.push(step.value);
    }
  }
}
