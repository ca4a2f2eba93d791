import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import type { ClientConfig } from '../client-config.ts';
import { StartupError } from '../errors.ts';
import { count, labelList, nodeWithDependencies } from '../graph/graph.schemas.ts';
import { parseTime, parseWhole } from './arguments.ts';
import { createClient } from './client.ts';
import { addClientOptions, type ClientOptions, clientConfig } from './client-options.ts';
import { download, getJson } from './download.ts';
import { loadTree } from './impact-load.ts';
import { describeImpact } from './impact-text.ts';
import { type ImpactTotals, type NodeKey, pruneTo } from './impact-tree.ts';
import { getTeam } from './lookup.ts';
import { print } from './output.ts';

type ImpactOptions = ClientOptions & {
  depth: number;
  label?: string;
  ts?: number;
  inactive?: boolean;
  children: number;
  allChildren?: boolean;
};

export function addImpactCommand(program: Command): void {
  addClientOptions(program.command('impact').description('show what breaks with a node, as a tree'))
    .argument('<team>', 'name or id')
    .argument('<label>', 'label of the node')
    .argument('<node>', 'name of the node')
    .option('--depth <levels>', 'how deep', parseWhole, 3)
    .option('--label <label>', 'only nodes of this label, and what leads to them')
    .option(
      '--ts <time>',
      'when: unix seconds, a date, or a time such as 2026-11-15T02:08:00Z; now unless told',
      parseTime,
    )
    .option('--inactive', 'also what is not active then')
    .option('--children <count>', 'at most so many under one node', parseWhole, 20)
    .option('--all-children', 'all of them')
    .addHelpText('after', help)
    .action(showImpact);
}

const help = `
On top stand all nodes that depend on this one, directly or not, whenever that was. The tree shows those that do at the time
that is looked at; those at its deepest level are judged by the whole day. A node that is reached on several ways is
unfolded once, where it is nearest; elsewhere it carries an arrow. --json prints all impacted nodes as a flat list.

Examples:
  faultline impact shop Server db1
  faultline impact shop Server db1 --depth 5 --label Website
  faultline impact shop Server db1 --ts 2026-11-01T12:00:00Z --inactive
  faultline impact shop Server db1 --json`;

async function showImpact(team: string, label: string, name: string, options: ImpactOptions): Promise<void> {
  if (name === '') throw new StartupError('The name of a node is not empty.');
  const config = clientConfig(options);
  const { id } = await getTeam(createClient(config), team);
  const pathOf = (node: NodeKey) =>
    `/v1/teams/${id}/labels/${encodeURIComponent(node.label)}/nodes/${encodeURIComponent(node.name)}`;
  const node = { label, name };
  if (options.json) return printAll(config, pathOf(node), options);

  const totals = await countImpacted(config, `/v1/teams/${id}/labels`, pathOf(node), options.label);
  const ts = options.ts ?? Math.floor(Date.now() / 1000);
  const query = new URLSearchParams({ impacted: 'true', day: new Date(ts * 1000).toISOString().slice(0, 10) });
  if (options.inactive) query.set('inactive', 'true');
  const tree = await loadTree(
    node,
    (each) => getJson(config, `${pathOf(each)}?${query.toString()}`, nodeWithDependencies),
    {
      depth: options.depth,
      maxChildren: options.allChildren ? Number.POSITIVE_INFINITY : options.children,
      ts,
      firstLabel: options.label,
      inactive: options.inactive ?? false,
    },
  );
  const shown = options.label === undefined ? tree : pruneTo(options.label, tree);
  const { stdout } = process;
  const isStyled = stdout.isTTY && stdout.hasColors();
  print(describeImpact(shown, totals, options, { isStyled, width: stdout.isTTY ? stdout.columns : undefined }));
}

/** Whatever their activity: all, and by label. */
async function countImpacted(
  config: ClientConfig,
  labelsPath: string,
  nodePath: string,
  only: string | undefined,
): Promise<ImpactTotals> {
  const countOf = async (label?: string) => {
    const query = label === undefined ? '' : `?${new URLSearchParams({ impactedLabel: label }).toString()}`;
    return (await getJson(config, `${nodePath}/impacted/count${query}`, count)).count;
  };
  const total = await countOf(only);
  if (only !== undefined || total === 0) return { total, perLabel: [] };
  const labels = await getJson(config, labelsPath, labelList);
  const perLabel: ImpactTotals['perLabel'] = [];
  for (const { name, nodes_count } of labels) {
    const found = nodes_count === 0 ? 0 : await countOf(name);
    if (found > 0) perLabel.push({ label: name, count: found });
  }
  return { total, perLabel };
}

/** The server's own answer, as it comes: it may be long. */
async function printAll(config: ClientConfig, nodePath: string, { label, ts, inactive }: ImpactOptions): Promise<void> {
  const query = new URLSearchParams();
  if (label !== undefined) query.set('impactedLabel', label);
  if (ts !== undefined) query.set('ts', String(ts));
  if (inactive) query.set('inactive', 'true');
  await pipeline(await download(config, `${nodePath}/impacted/all?${query.toString()}`), process.stdout, {
    end: false,
  });
  print('');
}
