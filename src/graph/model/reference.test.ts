/* oxlint-disable vitest/no-conditional-expect, vitest/expect-expect -- one property, compared in functions */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Message, MessageNode } from '../message.ts';
import { readSnapshot, snapshotPath, writeSnapshot } from './snapshot.ts';
import { compareExplorer } from './testing/compare-explorer.ts';
import { ReferenceGraph } from './testing/reference-graph.ts';
import { same } from './testing/same.ts';
import { TEAM_ID, TeamModel } from './testing/team-model.ts';

const LABELS = ['App', 'Db', 'Zone'];
const NAMES = ['a', 'b', 'ab', 'a/b', 'é', '😀', '\uffee', 'q"uo\\te', 'Long-name-1', 'long-name-12'];
const LATE = 2 ** 32 + 7;

const time = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: 0, max: 9 }) },
  { weight: 1, arbitrary: fc.constantFrom(2 ** 32 - 2, 2 ** 32 - 1, 2 ** 32, LATE, Number.MAX_SAFE_INTEGER) },
);
const anyName = fc.constantFrom(...NAMES);
const anyLabel = fc.constantFrom(...LABELS);
const node: fc.Arbitrary<MessageNode> = fc.record(
  { label: anyLabel, name: anyName, from: fc.option(time), to: fc.option(time) },
  { requiredKeys: ['label', 'name'] },
);
const plainNode = fc.record({ label: anyLabel, name: anyName });
const anyRel = fc.record({ from: time, to: time }, { requiredKeys: [] });
const message: fc.Arbitrary<Message> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ source: node }) },
  { weight: 1, arbitrary: fc.record({ source: node, target: node, rel: anyRel }) },
  {
    weight: 5,
    arbitrary: fc.record({ source: plainNode, target: plainNode, rel: anyRel }, { requiredKeys: ['source', 'target'] }),
  },
);

type Step =
  | { kind: 'add' | 'remove'; messages: Message[] }
  | { kind: 'delete'; label: string; name: string; detach: boolean }
  | { kind: 'rebuild' | 'snapshot' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('add'), messages: fc.array(message, { maxLength: 14 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove'), messages: fc.array(message, { maxLength: 14 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('delete'), label: anyLabel, name: anyName, detach: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('rebuild', 'snapshot') }) },
);

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'faultline-snapshots-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

it('answers like the reference after any changes, rebuilds and snapshots', { timeout: 120_000 }, () => {
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 1, maxLength: 8 }),
      fc.constantFrom(0, 3, 5, 9, 2 ** 32, LATE),
      (steps, ts) => {
        const model = new TeamModel();
        const reference = new ReferenceGraph();
        for (const current of steps) {
          perform(model, reference, current);
          compare(model, reference, ts);
        }
        compareExplorer(model, reference, ts);
        compareExport(model, reference, ts);
      },
    ),
    { numRuns: 600 },
  );
});

function perform(model: TeamModel, reference: ReferenceGraph, current: Step): void {
  switch (current.kind) {
    case 'add':
    case 'remove': {
      const { kind, messages } = current;
      const prepared = model.write(kind, messages.map(onTheWire));
      const changed = messages.filter((one) => reference[kind](one)).length;
      expect(prepared).toMatchObject({ accepted: messages.length, unchanged: messages.length - changed, rejected: 0 });
      return;
    }
    case 'delete': {
      const prepared = model.delete(current.label, current.name, current.detach);
      const outcome = reference.delete(current.label, current.name, current.detach);
      const expected = { unknown: undefined, has_relationships: 'has_relationships', deleted: expect.any(Object) };
      expect(prepared).toEqual(expected[outcome]);
      return;
    }
    case 'rebuild':
      model.rebuild();
      return;
    case 'snapshot': {
      model.rebuild();
      const path = snapshotPath(directory, TEAM_ID);
      writeSnapshot(path, TEAM_ID, model.graph.base);
      const { base } = readSnapshot(path, TEAM_ID);
      expect(base).toEqual(model.graph.base);
      if (base) model.replaceBase(base);
    }
  }
}

function onTheWire({ source, target, rel }: Message): unknown {
  return {
    source: nodeOnTheWire(source),
    ...(target ? { target: nodeOnTheWire(target) } : {}),
    ...(rel ? { rel } : {}),
  };
}

function nodeOnTheWire({ label, name, ...props }: MessageNode): unknown {
  return { label, name, props };
}

function compare(model: TeamModel, reference: ReferenceGraph, ts: number): void {
  same(model.ask({ kind: 'labels' }), reference.labels());
  for (const one of LABELS) {
    same(model.ask({ kind: 'nodes', label: one }), reference.names(one));
    same(model.ask({ kind: 'nodes', label: one, name: 'a', limit: 2 }), reference.names(one, 'a').slice(0, 2));
    const drawn = model.ask({ kind: 'nodes', label: one, limit: 2, seed: ts });
    expect(reference.names(one)).toEqual(expect.arrayContaining(asArray(drawn)));
    expect(new Set(asArray(drawn)).size).toBe(Math.min(2, reference.names(one).length));
  }
  for (const { label: ofLabel, name: ofName } of reference.nodes.values()) {
    compareImpacted(model, reference, ofLabel, ofName, ts);
    compareNode(model, reference, ofLabel, ofName, ts);
  }
  same(model.ask({ kind: 'count', label: 'App', name: 'nobody' }), undefined);
}

/** What is exported makes the same graph again, and exports the same. */
function compareExport(model: TeamModel, reference: ReferenceGraph, ts: number): void {
  const exported = model.export();
  const again = new TeamModel();
  if (reference.nodes.size > 0)
    again.write(
      'add',
      exported.map((line): unknown => JSON.parse(line)),
    );
  compare(again, reference, ts);
  expect(again.export()).toEqual(exported);
}

function compareImpacted(
  model: TeamModel,
  reference: ReferenceGraph,
  ofLabel: string,
  ofName: string,
  ts: number,
): void {
  const of = { label: ofLabel, name: ofName };
  same(model.ask({ kind: 'count', ...of }), { count: reference.count(ofLabel, ofName) });
  for (const impactedLabel of [undefined, 'Db', 'Nothing']) {
    const all = reference.impacted(ofLabel, ofName, ts, impactedLabel);
    const question = { ...of, impactedLabel, ts };
    same(model.ask({ kind: 'impactedCount', ...of, impactedLabel }), { count: all.length });
    same(model.ask({ kind: 'impacted', ...question, skip: 0, limit: 25 }), all.slice(0, 25));
    same(model.ask({ kind: 'impacted', ...question, skip: 1, limit: 2 }), all.slice(1, 3));
    same(model.ask({ kind: 'impactedAll', ...question, inactive: true }), all);
    same(
      model.ask({ kind: 'impactedAll', ...question, inactive: false }),
      all.filter(({ active }) => active),
    );
  }
}

function compareNode(model: TeamModel, reference: ReferenceGraph, ofLabel: string, ofName: string, ts: number): void {
  const day = { from: ts, to: ts + 2 };
  const [inactive, impacted] = [ts % 2 === 0, ofName.length % 2 === 0];
  const onlyLabels = ofLabel === 'Zone' ? ['App', 'Zone'] : undefined;
  const answer = model.ask({
    kind: 'node',
    label: ofLabel,
    name: ofName,
    dayFrom: day.from,
    dayTo: day.to,
    inactive,
    impacted,
    onlyLabels,
    alone: false,
  });
  const own = reference.nodes.get(`${ofLabel}:${ofName}`);
  const neighbours = reference.neighbours(ofLabel, ofName, day, { inactive, impacted, onlyLabels });
  const dependencies: Record<string, unknown[]> = { [ofLabel]: [{ name: ofName }] };
  for (const one of neighbours)
    (dependencies[one.label] ??= []).push({ name: one.name, old: one.old, periods: one.periods });
  expect(answer).toEqual({
    name: ofName,
    ...(typeof own?.from === 'number' ? { from: own.from } : {}),
    ...(typeof own?.to === 'number' ? { to: own.to } : {}),
    dependencies,
    graph: { nodes: expect.any(Array), relationships: expect.any(Array) },
  });
  expect(relationshipsOf(answer)).toEqual(
    neighbours.map((one) => `${one.relationship} ${String(one.periods)}`).toSorted(),
  );
}

type Drawn = {
  graph: {
    nodes: Array<{ id: number; label: string; title: string }>;
    relationships: Array<{ from: number; to: number; arrows: string; periods: number[] }>;
  };
};

/** The drawn relationships, each with the names that its ends stand for. */
function relationshipsOf(answer: unknown): string[] {
  // The shape was compared just before.
  // oxlint-disable-next-line no-unsafe-type-assertion
  const { graph } = answer as Drawn;
  const names = new Map(graph.nodes.map(({ id, label: drawnName, title }) => [id, `${title}:${drawnName}`]));
  expect(names.size).toBe(graph.nodes.length);
  return graph.relationships
    .map(({ from, to, periods }) => `${names.get(from)} → ${names.get(to)} ${String(periods)}`)
    .toSorted();
}

function asArray(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
