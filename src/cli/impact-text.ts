import { styleText } from 'node:util';
import {
  countShown,
  depthOf,
  hasElsewhere,
  type ImpactNode,
  type ImpactTotals,
  type Line,
  sumLeftOut,
  treeLines,
} from './impact-tree.ts';
import { formatCount } from './import-progress.ts';
import { displayWidth, printable } from './table.ts';

type Asked = { depth: number; label?: string; inactive?: boolean };
export type Screen = { isStyled: boolean /** Columns; undefined where there is no screen. */; width?: number };

/** The totals, the tree, and what is not in it with how to see that. */
export function describeImpact(
  tree: ImpactNode,
  { total, perLabel }: ImpactTotals,
  options: Asked,
  screen: Screen,
): string {
  const kind = options.label === undefined ? '' : `${options.label} `;
  const byLabel = perLabel.map(({ label, count }) => `${label} ${formatCount(count)}`).join(', ');
  const nodes = `${formatCount(total)} impacted ${kind}${total === 1 ? 'node' : 'nodes'}`;
  const head = total === 0 ? `Nothing depends on it${kind === '' ? '' : ` in ${kind.trim()}`}.` : nodes;
  return [
    byLabel === '' ? head : `${head}: ${byLabel}`,
    '',
    ...treeLines(tree).map((line) => drawLine(line, screen)),
    ...notes(tree, total, options).map((note, index) => (index === 0 ? `\n${note}` : note)),
  ].join('\n');
}

function notes(tree: ImpactNode, total: number, { depth, label, inactive }: Asked): string[] {
  const shown = countShown(tree, label);
  const leftOut = sumLeftOut(tree);
  const ways = [
    ...(leftOut > 0 ? ['--all-children for those marked …'] : []),
    ...(depthOf(tree) >= depth ? [`--depth ${depth + 1} for a level more`] : []),
    ...(inactive ? [] : ['--inactive for those that are not active']),
    '--json for all as a list',
  ];
  return [
    ...(hasElsewhere(tree) ? ['↪ stands at another place of the tree too.'] : []),
    ...(shown < total ? [`${formatCount(shown)} of ${formatCount(total)} are shown; ${ways.join(', ')}.`] : []),
  ];
}

function drawLine({ indent, label, name, note, isDim }: Line, { isStyled, width }: Screen): string {
  const text = [label, printable(name)].filter((part) => part !== '').join(' ');
  const suffix = note === '' ? '' : `${text === '' ? '' : ' '}${note}`;
  const room = width === undefined ? undefined : Math.max(8, width - displayWidth(indent) - displayWidth(suffix));
  const fitted = room === undefined ? text : truncate(text, room);
  if (!isStyled) return `${indent}${fitted}${suffix}`;
  if (isDim) return style('dim', `${indent}${fitted}${suffix}`);
  const labelPart = fitted.slice(0, label.length);
  return `${style('dim', indent)}${style('cyan', labelPart)}${fitted.slice(label.length)}${style('dim', suffix)}`;
}

const style = (format: 'dim' | 'cyan', part: string): string =>
  part === '' ? '' : styleText(format, part, { validateStream: false });

/** Cut to so many columns, with an ellipsis where it was. */
export function truncate(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = '';
  let used = 1;
  for (const character of text) {
    used += displayWidth(character);
    if (used > width) break;
    kept += character;
  }
  return `${kept}…`;
}
