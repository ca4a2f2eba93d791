import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Base, baseFacts } from './base.ts';
import { BaseBuilder } from './base-builder.ts';
import { decodeChange } from './change-codec.ts';
import { createNodeReader, createRelationshipReader } from './copy-reader.ts';
import { nodeRows, relationshipRows } from './copy-writer.ts';
import { TeamModel } from './testing/team-model.ts';

const shop = { label: 'App', name: 'shop' };
const main = { label: 'Db', name: 'main' };

function ndjson(...values: unknown[]): Uint8Array {
  return Buffer.from(values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join('\n'));
}

describe('prepare', () => {
  it('counts lines from the first one, blank lines included, and loses no good line to a bad one', () => {
    const { writer } = new TeamModel();
    const bytes = Buffer.concat([
      ndjson({ source: shop }, '', '{"source":', { source: { label: 'app', name: 'x' } }, '  ', { source: main }, ''),
      Buffer.from([0x22, 0xff, 0x22, 0x0a]),
      ndjson({ source: shop }),
    ]);
    const prepared = writer.prepare({ mode: 'add', firstLine: 11, ndjson: bytes });
    expect(prepared).toMatchObject({ accepted: 3, unchanged: 1, rejected: 3, lines: 8 });
    expect(prepared.errors).toEqual([
      { line: 13, message: 'the line is not valid JSON' },
      {
        line: 14,
        message: 'source.label must begin with a capital letter and contain only letters and digits',
      },
      { line: 17, message: 'the line is not valid UTF-8' },
    ]);
  });

  it('does not make a version of nothing', () => {
    const model = new TeamModel();
    model.write('add', [{ source: shop, target: main }]);
    const again = model.writer.prepare({ mode: 'add', firstLine: 1, messages: [{ source: shop, target: main }] });
    expect(again).toMatchObject({ accepted: 1, unchanged: 1, basedOn: 1, version: 1, payload: undefined });
  });

  it('gives new relationships their ids in the order of their sources, also those that come back', () => {
    const model = new TeamModel();
    const [a, b, c] = ['a', 'b', 'c'].map((name) => ({ label: 'App', name }));
    model.write('add', [{ source: a }, { source: b }, { source: c }, { source: b, target: c }]);
    model.write('remove', [{ source: b, target: c }]);
    const messages = [
      { source: c, target: b },
      { source: b, target: c },
      { source: a, target: c },
      { source: c, target: a },
      { source: a, target: b },
    ];
    const { payload, nextRelationshipId } = model.writer.prepare({ mode: 'add', firstLine: 1, messages });
    const pairs = decodeChange(payload ?? new Uint8Array()).relationships.map(({ id, source, target }) => [
      id,
      source,
      target,
    ]);
    expect(pairs).toEqual([
      [1, 0, 2],
      [2, 0, 1],
      [3, 1, 2],
      [4, 2, 1],
      [5, 2, 0],
    ]);
    expect(nextRelationshipId).toBe(6);
  });

  it('builds on batches that are prepared and not yet committed', () => {
    const model = new TeamModel();
    const first = model.writer.prepare({
      mode: 'add',
      firstLine: 1,
      messages: [{ source: shop, target: main, rel: { from: 5 } }],
    });
    const second = model.writer.prepare({
      mode: 'add',
      firstLine: 2,
      messages: [{ source: shop, target: main, rel: { to: 9 } }, { source: shop }],
    });
    expect(second).toMatchObject({
      basedOn: 1,
      version: 2,
      unchanged: 1,
      newNodes: undefined,
      newRelationships: undefined,
    });
    expect(second.changedRelationships).toEqual({ ids: [0], facts: ['{-10,5}'] });
    model.commit(first.payload);
    const third = model.writer.prepare({
      mode: 'remove',
      firstLine: 1,
      messages: [
        { source: shop, target: main, rel: { from: 5 } },
        { source: shop, target: main, rel: { to: 9 } },
      ],
    });
    expect(third).toMatchObject({ basedOn: 2, version: 3, deletedRelationships: [0] });
    model.commit(second.payload);
    model.commit(third.payload);
    expect(model.ask({ kind: 'count', ...shop })).toEqual({ count: 0 });
  });

  it('forgets on rollback what was not committed, and gives its ids again', () => {
    const model = new TeamModel();
    model.write('add', [{ source: shop }]);
    model.writer.prepare({ mode: 'add', firstLine: 1, messages: [{ source: main }] });
    model.writer.rollback();
    const again = model.writer.prepare({ mode: 'add', firstLine: 1, messages: [{ source: main }] });
    expect(again).toMatchObject({ basedOn: 1, version: 2, nextNodeId: 2 });
    expect(decodeChange(again.payload ?? new Uint8Array()).addedNodes).toMatchObject([{ id: 1, name: 'main' }]);
  });

  it('what another process committed counts, and what was prepared beside it is forgotten', () => {
    const model = new TeamModel();
    const elsewhere = new TeamModel();
    model.writer.prepare({ mode: 'add', firstLine: 1, messages: [{ source: shop }] });
    model.commit(elsewhere.write('add', [{ source: main }]).payload);
    const next = model.writer.prepare({ mode: 'add', firstLine: 1, messages: [{ source: main }, { source: shop }] });
    expect(next).toMatchObject({ basedOn: 1, version: 2, unchanged: 1, nextNodeId: 2 });
    model.commit(next.payload);
    const foreign = new TeamModel();
    for (const payload of model.payloads) foreign.commit(payload);
    const gone = foreign.delete('Db', 'main', false);
    if (typeof gone === 'object') model.commit(gone.payload);
    expect(model.writer.prepareDelete('Db', 'main', false)).toBeUndefined();
  });

  it('a new base, or a batch that fails halfway, loses nothing that is prepared', () => {
    const model = new TeamModel();
    model.write('add', [{ source: shop, target: main }]);
    const pending = model.writer.prepare({ mode: 'remove', firstLine: 1, messages: [{ source: shop, target: main }] });
    model.rebuild();
    const next = model.writer.prepare({
      mode: 'add',
      firstLine: 1,
      messages: [{ source: shop }, { source: shop, target: main }],
    });
    expect(next).toMatchObject({ basedOn: 2, version: 3, unchanged: 1, nextRelationshipId: 2 });
    const failing = {
      get source(): never {
        throw new Error('halfway');
      },
    };
    const batch = [{ source: { label: 'App', name: 'lost' } }, failing];
    expect(() => model.writer.prepare({ mode: 'add', firstLine: 1, messages: batch })).toThrow('halfway');
    const last = model.writer.prepare({ mode: 'add', firstLine: 1, messages: [{ source: shop, target: main }] });
    expect(last).toMatchObject({ basedOn: 3, unchanged: 1, nextNodeId: 2 });
    model.commit(pending.payload);
    model.commit(next.payload);
    expect(model.ask({ kind: 'count', ...shop })).toEqual({ count: 1 });
  });

  it('gives the same rows whether batches are committed at once or later, over one base or several', () => {
    const anyNode = fc.record({
      label: fc.constantFrom('App', 'Db'),
      name: fc.constantFrom('a', 'b', 'c', 'é'),
      props: fc.record({ from: fc.option(fc.nat(3)), to: fc.nat(3) }, { requiredKeys: [] }),
    });
    const rel = fc.record({ from: fc.nat(5), to: fc.nat(5) }, { requiredKeys: [] });
    const message = fc.record({ source: anyNode, target: anyNode, rel }, { requiredKeys: ['source', 'target'] });
    const step = fc.record({
      mode: fc.constantFrom('add' as const, 'add' as const, 'remove' as const),
      messages: fc.array(message, { maxLength: 8 }),
      isNdjson: fc.boolean(),
      commits: fc.nat(2),
      event: fc.constantFrom('none', 'none', 'rebase', 'rebuild'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 10 }), (steps) => {
        const [prompt, late] = [new TeamModel(), new TeamModel()];
        const waiting: Array<Uint8Array | undefined> = [];
        for (const { mode, messages, isNdjson, commits, event } of steps) {
          const expected = prompt.write(mode, messages);
          const lines = { ndjson: Buffer.from(messages.map((one) => `${JSON.stringify(one)}\n`).join('')) };
          const given = late.writer.prepare({ mode, firstLine: 1, ...(isNdjson ? lines : { messages }) });
          expect(given).toEqual(expected);
          waiting.push(given.payload);
          for (const payload of waiting.splice(0, commits)) late.commit(payload);
          if (event === 'rebase') late.writer.rebase();
          if (event === 'rebuild') late.rebuild();
        }
      }),
      { numRuns: 150 },
    );
  });

  it('a deleted node is known to be gone before that is committed, and comes again without relationships', () => {
    const model = new TeamModel();
    model.write('add', [{ source: shop, target: main }]);
    expect(model.writer.prepareDelete('Db', 'main', false)).toBe('has_relationships');
    const gone = model.writer.prepareDelete('Db', 'main', true);
    expect(gone).toMatchObject({ deletedNodes: [1], deletedRelationships: [0], version: 2 });
    expect(model.writer.prepareDelete('Db', 'main', true)).toBeUndefined();
    const again = model.writer.prepare({ mode: 'add', firstLine: 1, messages: [{ source: main }] });
    expect(again).toMatchObject({ version: 3, nextNodeId: 3, unchanged: 0 });
    if (typeof gone === 'object') model.commit(gone.payload);
    model.commit(again.payload);
    expect(model.ask({ kind: 'impactedCount', ...main })).toEqual({ count: 0 });
  });
});

describe('rows for COPY', () => {
  it('are read back as they were written, whatever the times', () => {
    const far = Number.MAX_SAFE_INTEGER;
    const nodes = [
      { id: 2, label: 'App', name: 'ümläut "q"', from: 0, to: far },
      { id: 0, label: 'Db', name: 'main', from: null, to: null },
    ];
    const allFacts = [[], [0], [5], [far], [5, -10], [-10, 5], [-1], [-10, -20, 5, 30, 40, -51], [-(2 ** 53 + 2), 7]];
    const builder = new BaseBuilder();
    const nodeReader = createNodeReader(builder);
    nodeReader.push(nodeRows(undefined, nodes));
    nodeReader.finish();
    const relationshipReader = createRelationshipReader(builder);
    const rows = allFacts.map((facts, id) => ({ id, source: id % 2 === 0 ? 2 : 0, target: 0, facts }));
    relationshipReader.push(relationshipRows(undefined, rows));
    relationshipReader.finish();
    const base = builder.finish({ version: 1, nextNodeId: 4, nextRelationshipId: 20 });
    expect(base).toMatchObject({ nodeCount: 2, relationshipCount: allFacts.length });
    expect(factsById(base)).toEqual(new Map(allFacts.map((facts, id) => [id, facts])));
  });

  it('that end before their end mark are refused', () => {
    const reader = createNodeReader(new BaseBuilder());
    reader.push(nodeRows(undefined, []).subarray(0, 19));
    expect(() => reader.finish()).toThrow('ended before');
  });
});

function factsById(base: Base) {
  const facts = new Map<number, readonly number[]>();
  for (const [edge, id] of base.outId.entries())
    facts.set(id, baseFacts(base, id, base.outFrom[edge], base.outTo[edge]));
  return new Map([...facts].toSorted(([a], [b]) => a - b));
}
