import type { GraphOverview } from '../../explore.schemas.ts';
import type { ReferenceGraph } from './reference-graph.ts';
import { same } from './same.ts';
import type { TeamModel } from './team-model.ts';

/** What the explorer asks, answered plainly from the reference, must be what the model says. */
export function compareExplorer(model: TeamModel, reference: ReferenceGraph, ts: number): void {
  for (const text of ['', 'a', 'LONG', '-1', 'É', 'é', 'nobody'])
    for (const limit of [1, 20]) {
      const found = reference.search(text);
      const expected = { nodes: found.slice(0, limit), more: found.length > limit };
      same(model.ask({ kind: 'search', text, limit }), expected);
    }
  for (const { label, name } of reference.nodes.values()) {
    compareTotals(model, reference, label, name, ts);
    compareNeighbours(model, reference, label, name, ts);
  }
  compareOverview(model, reference);
}

function compareTotals(model: TeamModel, reference: ReferenceGraph, label: string, name: string, ts: number): void {
  const impacted = reference.impacted(label, name, ts);
  const labels = [...new Set(impacted.map((one) => one.label ?? ''))].toSorted();
  const groups = labels.map((ofLabel) => {
    const nodes = impacted.filter((one) => one.label === ofLabel);
    return { label: ofLabel, count: nodes.length, active: nodes.filter(({ active }) => active).length };
  });
  const active = impacted.filter((one) => one.active);
  const totals = { count: impacted.length, active: active.length, groups };
  same(model.ask({ kind: 'impactTotals', label, name, ts }), totals);
  const page = { skip: 1, limit: 2, ts, onlyActive: true };
  same(model.ask({ kind: 'impacted', label, name, ...page }), active.slice(1, 3));
}

function compareNeighbours(model: TeamModel, reference: ReferenceGraph, label: string, name: string, ts: number): void {
  const day = { from: ts, to: ts + 2 };
  const [inactive, impacted] = [ts % 2 === 1, name.length % 2 === 1];
  const shown = reference
    .neighbours(label, name, day, { inactive, impacted })
    .map(({ label: of, name: called, old, periods }) => ({
      label: of,
      name: called,
      old,
      periods,
      ...reference.times(of, called),
    }));
  const labels = [...new Set(shown.map((one) => one.label))].toSorted();
  const grouped = labels.map((ofLabel) => shown.filter((one) => one.label === ofLabel));
  const groups = grouped.map((nodes) => ({ label: nodes[0].label, count: nodes.length }));
  const question = { dayFrom: day.from, dayTo: day.to, inactive, direction: impacted ? 'in' : 'out' } as const;
  const pages = [
    { skip: 0, limit: 25 },
    { skip: 1, limit: 2 },
    { skip: 1, limit: 3, perLabel: 1 },
    { skip: 0, limit: 25, neighbourLabel: 'Db' },
  ];
  for (const page of pages) {
    const { skip, limit, perLabel, neighbourLabel } = page;
    const wanted = grouped.filter(([{ label: of }]) => neighbourLabel === undefined || of === neighbourLabel);
    const nodes = wanted.flatMap((ofLabel) => ofLabel.slice(0, perLabel)).slice(skip, skip + limit);
    same(model.ask({ kind: 'neighbours', label, name, ...question, ...page }), { groups, nodes });
  }
}

function compareOverview(model: TeamModel, reference: ReferenceGraph): void {
  // Its shape is compared in what follows.
  // oxlint-disable-next-line no-unsafe-type-assertion
  const overview = model.ask({ kind: 'overview', limit: 1000 }) as GraphOverview;
  const names = overview.nodes.name.map((name, at) => `${overview.labels[overview.nodes.label[at]]}:${name}`);
  same(names.toSorted(), [...reference.nodes.keys()].toSorted());
  same([overview.nodes_count, overview.relationships_count], [reference.nodes.size, reference.relationships.size]);
  const drawn: string[] = [];
  for (let at = 0; at < overview.relationships.length; at += 2)
    drawn.push(`${names[overview.relationships[at]]} → ${names[overview.relationships[at + 1]]}`);
  same(drawn.toSorted(), [...reference.relationships.keys()].toSorted());

  // oxlint-disable-next-line no-unsafe-type-assertion
  const small = model.ask({ kind: 'overview', limit: 2 }) as GraphOverview;
  same(small.nodes.name.length, Math.min(2, reference.nodes.size));
  same(small.nodes.label.length, small.nodes.name.length);
  same(small.nodes_count, reference.nodes.size);
  same(small.relationships.length / 2, Math.min(4, small.relationships_count));
}
