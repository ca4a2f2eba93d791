import { type KeyboardEvent, memo, useEffect, useMemo, useRef } from 'react';
import { IconButton } from '../../design/button.tsx';
import './drawing.css';
import type { Drawing as DrawingModel, DrawnNode, DrawnRest } from './drawing-model.ts';
import { Node, nodeHeight, nodeWidth, Rest, restHeight } from './drawn-items.tsx';
import type { Layout, Point } from './layout.ts';
import { fit, usePanZoom } from './pan-zoom.ts';
import { useLayout } from './use-layout.ts';

/** Below this scale names are hard to read, and it is better to move than to show all. */
const smallestReadable = 0.5;

type Actions = { onNode: (node: DrawnNode) => void; onRest: (rest: DrawnRest) => void };

/** The surroundings of a node in layers. Drag to move, wheel or pinch to zoom, arrow keys to walk, Enter to open and close. */
export function Drawing({
  model,
  rootKey,
  chosenKey,
  colorOf,
  onNode,
  onRest,
}: Actions & { model: DrawingModel; rootKey: string; chosenKey: string; colorOf: (label: string) => string }) {
  const frame = useRef<SVGSVGElement>(null);
  const content = useRef<SVGGElement>(null);
  const { camera, move, zoom } = usePanZoom(frame, ({ x, y, scale }) =>
    content.current?.setAttribute('transform', `translate(${x} ${y}) scale(${scale})`),
  );
  const question = useMemo(
    () => ({
      nodes: model.items.map((item) => ({
        key: item.key,
        width: nodeWidth,
        height: item.kind === 'node' ? nodeHeight : restHeight,
      })),
      edges: model.edges.map(({ key, from, to }) => ({ key, from, to })),
    }),
    [model],
  );
  const { layout, isBusy } = useLayout(question);
  const show = (next: Layout): void => {
    const { clientWidth: width, clientHeight: height } = frame.current ?? { clientWidth: 1, clientHeight: 1 };
    move(fit(next, { width, height }));
  };

  const fitsWell = (next: Layout): boolean => {
    const { clientWidth: width, clientHeight: height } = frame.current ?? { clientWidth: 1, clientHeight: 1 };
    return fit(next, { width, height }).scale >= smallestReadable;
  };
  /** Whoever walks with the keys sees where. */
  const reveal = (key: string): void => {
    const [at, element] = [layout?.nodes[key], frame.current];
    if (!at || !element) return;
    const { x, y, scale } = camera.current;
    const [px, py] = [at.x * scale + x, at.y * scale + y];
    const [roomX, roomY] = [(nodeWidth / 2) * scale + 8, (nodeHeight / 2) * scale + 8];
    const isInside = px > roomX && px < element.clientWidth - roomX && py > roomY && py < element.clientHeight - roomY;
    if (!isInside)
      move({ scale, x: element.clientWidth / 2 - at.x * scale, y: element.clientHeight / 2 - at.y * scale });
  };

  // A drawing that can be read as a whole is shown whole; in a larger one, what was clicked stays under the pointer.
  const shown = useRef<{ rootKey: string; layout: Layout }>(undefined);
  const anchor = useRef(rootKey);
  useEffect(() => {
    if (!layout?.nodes[rootKey]) return;
    const before = shown.current;
    const [was, is] = [before?.layout.nodes[anchor.current], layout.nodes[anchor.current]];
    // The first layouts of a root come while its neighbours are still on their way.
    const isYoung = before === undefined || Object.keys(before.layout.nodes).length <= 1;
    if (isYoung || before.rootKey !== rootKey || !was || !is || fitsWell(layout)) show(layout);
    else {
      const { x, y, scale } = camera.current;
      move({ scale, x: x + (was.x - is.x) * scale, y: y + (was.y - is.y) * scale });
    }
    shown.current = { rootKey, layout };
  });

  const open = (item: DrawnNode | DrawnRest): void => {
    anchor.current = item.kind === 'node' ? item.key : rootKey;
    if (item.kind === 'node') onNode(item);
    else onRest(item);
  };
  const latestOpen = useRef(open);
  useEffect(() => {
    latestOpen.current = open;
  });
  const stableOpen = useMemo(() => (item: DrawnNode | DrawnRest) => latestOpen.current(item), []);

  const handleKey = (event: KeyboardEvent): void => {
    const factor = { '+': 1.25, '=': 1.25, '-': 0.8 }[event.key];
    if (factor !== undefined) zoom(factor);
    else if (event.key === '0' && layout) show(layout);
    else if (layout && event.key.startsWith('Arrow') && event.target instanceof SVGElement) {
      const next = findNext(layout, event.target.dataset['key'] ?? rootKey, event.key);
      if (next === undefined) return;
      frame.current?.querySelector<SVGElement>(`[data-key="${CSS.escape(next)}"]`)?.focus();
      reveal(next);
    } else return;
    event.preventDefault();
  };

  return (
    <div className="drawing" data-busy={isBusy || undefined}>
      {/* The keys of the nodes inside pass by here. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <svg ref={frame} className="drawing-frame" role="group" aria-label="Drawing" onKeyDown={handleKey}>
        <defs>
          <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">
            <path d="M0 0.8 7 4 0 7.2z" />
          </marker>
        </defs>
        <g ref={content}>
          {layout && <Content {...{ model, layout, rootKey, chosenKey, colorOf }} onOpen={stableOpen} />}
        </g>
      </svg>
      <div className="drawing-tools">
        <IconButton label="Larger" icon="plus" variant="secondary" isSmall onClick={() => zoom(1.25)} />
        <IconButton label="Smaller" icon="minus" variant="secondary" isSmall onClick={() => zoom(0.8)} />
        <IconButton
          label="Show all of it"
          icon="screen"
          variant="secondary"
          isSmall
          onClick={() => layout && show(layout)}
        />
      </div>
    </div>
  );
}

type ContentProps = {
  model: DrawingModel;
  layout: Layout;
  rootKey: string;
  chosenKey: string;
  colorOf: (label: string) => string;
  onOpen: (item: DrawnNode | DrawnRest) => void;
};

const Content = memo(function Content({ model, layout, rootKey, chosenKey, colorOf, onOpen }: ContentProps) {
  return (
    <>
      {model.edges.map(({ key, from, to, isOld }) => {
        const [points, start, end] = [layout.edges[key], layout.nodes[from], layout.nodes[to]];
        if (!points || !start || !end) return null;
        return <path key={key} className="drawing-edge" data-old={isOld || undefined} d={pathOf(start, end, points)} />;
      })}
      {model.items.map((item) => {
        const at = layout.nodes[item.key];
        if (!at) return null;
        const place = { item, at, onOpen, isFirst: item.key === rootKey };
        return item.kind === 'rest' ? (
          <Rest key={item.key} {...place} item={item} />
        ) : (
          <Node
            key={item.key}
            {...place}
            item={item}
            color={colorOf(item.label)}
            isChosen={item.key === chosenKey}
            isRoot={item.key === rootKey}
          />
        );
      })}
    </>
  );
});

/**
 * From the side of one node to the side of the other, leaving and coming level; what it passes in between bends it.
 *
 *     ┌─┐   ╭──▶┌─┐
 *     │a├───╯   │b│
 */
function pathOf(from: Point, to: Point, points: readonly Point[]): string {
  const ahead = to.x >= from.x ? 1 : -1;
  const start = { x: from.x + (ahead * nodeWidth) / 2, y: from.y };
  const end = { x: to.x - (ahead * nodeWidth) / 2, y: to.y };
  // Dagre gives a point for every layer that is passed, and one half way; only those between other layers matter.
  const passed = points.slice(1, -1).filter((_, place, all) => all.length > 1 && place % 2 === 1);
  let path = `M${start.x} ${start.y}`;
  let last: Point = start;
  for (const next of [...passed, end]) {
    const middle = (last.x + next.x) / 2;
    path += `C${middle} ${last.y} ${middle} ${next.y} ${next.x} ${next.y}`;
    last = next;
  }
  return path;
}

/** The nearest node in the direction of the arrow key; what is off to the side counts as further away. */
function findNext(layout: Layout, key: string, arrow: string): string | undefined {
  const from = layout.nodes[key];
  if (!from) return undefined;
  const [dx, dy] = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[arrow] ?? [0, 0];
  let best: { key: string; cost: number } | undefined;
  for (const [other, { x, y }] of Object.entries(layout.nodes)) {
    const [ax, ay] = [x - from.x, y - from.y];
    const ahead = ax * dx + ay * dy;
    if (ahead < 8) continue;
    const cost = ahead + 3 * Math.abs(ax * dy + ay * dx);
    if (!best || cost < best.cost) best = { key: other, cost };
  }
  return best?.key;
}
