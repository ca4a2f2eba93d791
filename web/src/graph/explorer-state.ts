import { useSearchState } from '../routing/search-state.ts';
import type { When } from './graph-api.ts';
import { type Direction, keyOf, type NodeRef, nodeOf } from './node-key.ts';

export type View = 'around' | 'impacted' | 'whole';
export type Shown = 'both' | Direction;
/** One node of the drawing whose neighbours in one direction are drawn too. */
export type Opening = { node: NodeRef; direction: Direction };

/** Everything that the explorer shows stands in the address; see `web/src/routing/search-state.ts`. */
const defaults = {
  view: 'around',
  label: '',
  name: '',
  day: '',
  inactive: '',
  dir: 'both',
  /** Lines of `>Label:name` and `<Label:name`: a name has no line ends. */
  open: '',
  /** The node that the panel tells about, as `Label:name`. */
  chosen: '',
  /** The list beside the drawing: an opening, a space and a label. */
  list: '',
  form: 'drawing',
  page: '1',
  /** Unix second at which impact is asked for. */
  ts: '',
  of: '',
  /** Labels that the drawing of the whole graph leaves out. */
  hide: '',
  /** Where the drawing of the whole graph is looked at: x, y and ratio. */
  camera: '',
};

export type ExplorerState = ReturnType<typeof useExplorerState>;

export function useExplorerState() {
  const [raw, change] = useSearchState(defaults);
  const root: NodeRef | undefined = raw.label && raw.name ? { label: raw.label, name: raw.name } : undefined;
  const when: When = { day: raw.day, inactive: raw.inactive === '1' };
  return {
    raw,
    change,
    root,
    when,
    view: (['around', 'impacted', 'whole'] as const).find((view) => view === raw.view) ?? 'around',
    shown: (['both', 'dependencies', 'impacted'] as const).find((shown) => shown === raw.dir) ?? 'both',
    opened: parseOpenings(raw.open),
    chosen: raw.chosen === '' ? undefined : nodeOf(raw.chosen),
    page: Math.max(1, Math.trunc(Number(raw.page)) || 1),
    ts: /^\d{1,12}$/.test(raw.ts) ? Number(raw.ts) : undefined,
    hidden: raw.hide === '' ? [] : raw.hide.split(' '),
    /** Another node comes into the middle; what was opened around the former one goes. */
    centre: (node: NodeRef, view: View = 'around') =>
      change({ ...node, view, open: '', chosen: '', list: '', page: '1', of: '', camera: '' }, { push: true }),
  };
}

export function parseOpenings(text: string): Opening[] {
  return text
    .split('\n')
    .filter((line) => /^[<>][^:]+:./u.test(line))
    .map((line) => ({ direction: line.startsWith('>') ? 'dependencies' : 'impacted', node: nodeOf(line.slice(1)) }));
}

export const printOpening = ({ direction, node }: Opening): string =>
  `${direction === 'dependencies' ? '>' : '<'}${keyOf(node)}`;

export const printOpenings = (openings: readonly Opening[]): string => openings.map(printOpening).join('\n');

/** `>Label:name Server`: labels have no spaces, so the last one divides. */
export function parseList(text: string): { opening: Opening; label: string } | undefined {
  const space = text.lastIndexOf(' ');
  const [opening] = parseOpenings(text.slice(0, Math.max(0, space)));
  return opening && { opening, label: text.slice(space + 1) };
}
