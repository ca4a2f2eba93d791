import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Message } from '../message.ts';
import { isActiveAt, periodsOf } from '../periods.ts';
import type { DependenciesQuestion } from './answer-dependencies.ts';
import { decodeTable } from './dependency-table.ts';
import { createScratchPool, runQuery } from './query.ts';
import { ReferenceGraph } from './testing/reference-graph.ts';
import { TeamModel } from './testing/team-model.ts';

// A day of six seconds, 2 to 8, so that every second of it can be looked at.
const [dayFrom, dayTo] = [2, 8];
const seconds = Array.from({ length: dayTo - dayFrom }, (_, i) => i);

const time = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: 0, max: 10 }) },
  { weight: 1, arbitrary: fc.constantFrom(2 ** 32 - 1, 2 ** 32 + 7) },
);
const label = fc.constantFrom('App', 'Db', 'Zone');
const name = fc.constantFrom('a', 'b', 'é');
const node = fc.record(
  { label, name, from: fc.option(time), to: fc.option(time) },
  { requiredKeys: ['label', 'name'] },
);
const rel = fc.record({ from: time, to: time }, { requiredKeys: [] });
const message: fc.Arbitrary<Message> = fc.record(
  { source: node, target: node, rel },
  { requiredKeys: ['source', 'target'] },
);
type Step =
  | { kind: 'add'; messages: Message[] }
  | { kind: 'rebuild' }
  | { kind: 'delete'; label: string; name: string };
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('add'), messages: fc.array(message, { maxLength: 20 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('rebuild') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete'), label, name }) },
);

/** `App:a → Db:b 0 1 4`: the seconds in which the dependency counts. */
type Rows = Record<string, Record<string, number[]>>;

function ask(model: TeamModel, question: DependenciesQuestion): Rows {
  const steps = runQuery(model.graph, createScratchPool(), { kind: 'dependencyTable', ...question });
  let step = steps.next();
  while (!step.done && step.value === undefined) step = steps.next();
  if (step.done || !step.value) throw new Error('no table');
  const table = decodeTable(step.value);
  const rows: Rows = {};
  for (const [i, name] of table.names.entries()) {
    const row: Record<string, number[]> = {};
    for (let at = table.rowStart[i]; at < table.rowStart[i + 1]; at++) {
      const within = seconds.filter((second) => second >= table.from[at] && second < table.to[at]);
      row[table.dependency[at]] = [...(row[table.dependency[at]] ?? []), ...within];
    }
    rows[name] = row;
  }
  return rows;
}

function expected(reference: ReferenceGraph, model: TeamModel, question: DependenciesQuestion): Rows {
  const isActive = (key: string, ts: number) => {
    const { from = null, to = null } = reference.nodes.get(key) ?? {};
    return (from === null || from <= ts) && (to === null || to >= ts);
  };
  const day = [...seconds, seconds.length].map((second) => second + dayFrom);
  const rows: Rows = {};
  for (const [key, { label, name }] of reference.nodes) {
    if (label !== question.label || !day.some((ts) => isActive(key, ts))) continue;
    const row: Record<string, number[]> = {};
    for (const { source, target, facts } of reference.relationships.values()) {
      const dependency = reference.nodes.get(target);
      if (source !== key || !dependency || !question.dependencyLabels.includes(dependency.label)) continue;
      const active = day.filter((ts) => isActiveAt(periodsOf(facts), ts) && isActive(target, ts));
      const counted = question.wholeDay && active.length > 0 ? day : active;
      const within = counted.map((ts) => ts - dayFrom).filter((second) => second < seconds.length);
      const id = model.ask({ kind: 'nodeId', label: dependency.label, name: dependency.name });
      if (within.length > 0) row[String(id)] = within;
    }
    rows[name] = row;
  }
  return rows;
}

test('a dependency counts in the seconds in which its relationship and itself are active, on any graph', () => {
  const labels = fc.uniqueArray(label, { maxLength: 2 });
  const agrees = (steps: Step[], dependencyLabels: string[], wholeDay: boolean) => {
    const model = new TeamModel();
    const reference = new ReferenceGraph();
    for (const one of steps) perform(model, reference, one);
    const question = { label: 'App', dependencyLabels, fromNode: 0, dayFrom, dayTo, wholeDay, withNames: true };
    return isDeepStrictEqual(ask(model, question), expected(reference, model, question));
  };
  const property = fc.property(fc.array(step, { minLength: 1, maxLength: 6 }), labels, fc.boolean(), agrees);
  expect(fc.check(property, { numRuns: 400 }).counterexample).toBeNull();
});

function perform(model: TeamModel, reference: ReferenceGraph, step: Step): void {
  if (step.kind === 'rebuild') return model.rebuild();
  if (step.kind === 'delete') {
    model.delete(step.label, step.name, true);
    reference.delete(step.label, step.name, true);
    return;
  }
  const toWire = ({ label, name, ...props }: Message['source']) => ({ label, name, props });
  const onTheWire = step.messages.map(({ source, target, rel }) => ({
    source: toWire(source),
    ...(target && { target: toWire(target) }),
    ...(rel && { rel }),
  }));
  expect(model.write('add', onTheWire)).toMatchObject({ rejected: 0 });
  for (const message of step.messages) reference.add(message);
}

test('a label is cut into pieces of so many nodes, and tables of the pieces have all of them', () => {
  const model = new TeamModel();
  const names = Array.from({ length: 25 }, (_, i) => `n${i}`);
  model.write(
    'add',
    names.slice(0, 18).flatMap((name) => [{ source: { label: 'App', name } }, { source: { label: 'Db', name } }]),
  );
  model.rebuild();
  model.write(
    'add',
    names.slice(18).map((name) => ({ source: { label: 'App', name } })),
  );
  model.delete('App', 'n3', false);
  const starts = model.ask({ kind: 'labelChunks', label: 'App', every: 10 }) as number[]; // what this kind answers
  expect(starts).toEqual([0, 22, 39]);
  const tables = starts.map((fromNode, i) => ({
    label: 'App',
    dependencyLabels: [],
    fromNode,
    toNode: starts[i + 1],
    dayFrom,
    dayTo,
    wholeDay: false,
    withNames: true,
  }));
  const pieces = tables.map((question) => Object.keys(ask(model, question)));
  expect(pieces.map((piece) => piece.length)).toEqual([10, 10, 4]);
  expect(pieces.flat()).toEqual(names.filter((name) => name !== 'n3'));
  expect(model.ask({ kind: 'labelChunks', label: 'Zone', every: 10 })).toEqual([]);
});
