import { useEffect, useMemo, useRef, useState } from 'react';
import { IconButton } from '../../design/button.tsx';
import { EmptyState } from '../../design/states.tsx';
import { useColorScheme } from '../../design/theme.ts';
import { type Camera, fit, usePanZoom } from '../around/pan-zoom.ts';
import { colorOfLabel } from '../labels.ts';
import type { NodeRef } from '../node-key.ts';
import { rgbOf } from './css-color.ts';
import { drawNames, type Marks } from './names-layer.ts';
import { createNodeGrid } from './node-grid.ts';
import { createScene } from './scene.ts';
import type { WholeGraph } from './whole.worker.ts';

type Scene = NonNullable<ReturnType<typeof createScene>>;
type Size = { width: number; height: number };

const [slowFrameMs, restMs, firstLines] = [60, 250, 20_000];
/** A pointer this near to a node means it. */
const reachPixels = 10;
/** Room at the edges, for rings and names. */
const margin = 24;
/** How much larger than the whole one can look; and how near to fly to a node that was looked for. */
const [largestScale, nearScale] = [60, 24];

/** The whole graph, drawn by the graphics card, with names over it. */
export function GraphCanvas({
  whole,
  labels,
  hidden,
  root,
  camera: wanted,
  onCamera,
  onNode,
}: {
  whole: WholeGraph;
  /** All labels of the team, which give the colours. */
  labels: readonly string[];
  hidden: readonly string[];
  root: NodeRef | undefined;
  /** The middle in units of the drawing, and how much larger than the whole; empty for the whole. */
  camera: string;
  onCamera: (camera: string) => void;
  onNode: (node: NodeRef) => void;
}) {
  const frame = useRef<HTMLDivElement>(null);
  const picture = useRef<HTMLCanvasElement>(null);
  const names = useRef<HTMLCanvasElement>(null);
  const scene = useRef<Scene>(undefined);
  const marks = useRef<Marks>({ hovered: undefined, root: undefined });
  const isDue = useRef(false);
  /** Without a graphics card lines take seconds: some are drawn then, and none while it moves. */
  const pace = useRef<'unknown' | 'fast' | 'slow'>('unknown');
  const share = useRef(Math.min(1, firstLines / Math.max(1, whole.relationships.length / 2)));
  const [isThinned, setIsThinned] = useState(false);
  const isMoving = useRef(false);
  const rest = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [isAble, setIsAble] = useState<boolean>();
  const scheme = useColorScheme();
  const grid = useMemo(() => createNodeGrid(whole.x, whole.y), [whole]);
  const size = useRef<Size>({ width: 1, height: 1 });
  const whereAt = useRef<Camera>({ x: 0, y: 0, scale: 1 });
  const colors = useRef({ text: '', halo: '', accent: '' });
  const hiddenLabels = useRef(new Set<number>());
  const told = useRef<{ timer?: ReturnType<typeof setTimeout>; tell: (camera: string) => void }>({ tell: onCamera });
  useEffect(() => {
    told.current.tell = onCamera;
  });

  const isShown = (node: number): boolean => !hiddenLabels.current.has(whole.label[node] ?? 0);
  const draw = (): void => {
    if (isDue.current) return;
    isDue.current = true;
    requestAnimationFrame(() => {
      isDue.current = false;
      const part = pace.current === 'slow' && isMoving.current ? 0 : share.current;
      scene.current?.draw(whereAt.current, devicePixelRatio, part);
      if (pace.current === 'unknown') measureFrame(adjust);
      const context = names.current?.getContext('2d');
      if (!context) return;
      context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
      const content = { whole, grid, isShown, marks: marks.current, colors: colors.current };
      drawNames(context, size.current, whereAt.current, content);
    });
  };
  /** The first frame has few lines, and tells how many can be afforded. */
  const adjust = (ms: number): void => {
    if (pace.current !== 'unknown') return;
    pace.current = ms > slowFrameMs ? 'slow' : 'fast';
    if (pace.current === 'slow') share.current = Math.max(0.01, share.current * Math.min(1, (2 * slowFrameMs) / ms));
    else share.current = 1;
    setIsThinned(share.current < 1);
    draw();
  };
  const fitted = (): Camera => {
    const { width, height } = size.current;
    const inner = { width: Math.max(1, width - 2 * margin), height: Math.max(1, height - 2 * margin) };
    const { x, y, scale } = fit(grid, inner, largestScale);
    return { scale, x: x + margin, y: y + margin };
  };
  const aroundRoot = (): Camera | undefined => {
    const place = root && findPlace(whole, root);
    if (place === undefined) return undefined;
    const scale = Math.max(nearScale, fitted().scale);
    const { width, height } = size.current;
    return { scale, x: width / 2 - (whole.x[place] ?? 0) * scale, y: height / 2 - (whole.y[place] ?? 0) * scale };
  };
  const { move, zoom } = usePanZoom(
    frame,
    (next) => {
      whereAt.current = next;
      isMoving.current = true;
      draw();
      clearTimeout(rest.current);
      rest.current = setTimeout(() => {
        isMoving.current = false;
        if (pace.current === 'slow') draw();
      }, restMs);
      clearTimeout(told.current.timer);
      told.current.timer = setTimeout(() => told.current.tell(printCamera(next, size.current, fitted())), 300);
    },
    { smallest: 0.02, largest: largestScale },
  );

  // The canvases have the size of their frame, in the pixels of the screen.
  useEffect(() => {
    const box = frame.current;
    const made = picture.current && createScene(picture.current, whole);
    setIsAble(made !== undefined);
    if (!box || !made) return undefined;
    scene.current = made;
    const start = wanted;
    const timers = told.current;
    const watch = new ResizeObserver(() => {
      const isFirst = size.current.width === 1;
      const before = isFirst ? start : printCamera(whereAt.current, size.current, fitted());
      size.current = { width: box.clientWidth, height: box.clientHeight };
      for (const canvas of [picture.current, names.current]) {
        if (!canvas) continue;
        canvas.width = Math.round(box.clientWidth * devicePixelRatio);
        canvas.height = Math.round(box.clientHeight * devicePixelRatio);
      }
      move(parseCamera(before, size.current, fitted()) ?? (isFirst ? aroundRoot() : undefined) ?? fitted());
    });
    watch.observe(box);
    return () => {
      watch.disconnect();
      clearTimeout(timers.timer);
      clearTimeout(rest.current);
      scene.current = undefined;
      size.current = { width: 1, height: 1 };
    };
    // oxlint-disable-next-line react/exhaustive-deps -- a new graph makes a new scene; the address only says where to begin
  }, [whole]);

  useEffect(() => {
    const left = new Set(hidden);
    hiddenLabels.current = new Set(whole.labels.flatMap((label, place) => (left.has(label) ? [place] : [])));
    const [text = '', halo = '', accent = ''] = ['var(--text)', 'var(--surface-sunken)', 'var(--accent)'].map(
      (color) => `rgb(${rgbOf(color).join(' ')})`,
    );
    colors.current = { text, halo, accent };
    scene.current?.setLook({
      colors: whole.labels.map((label) => (left.has(label) ? undefined : rgbOf(colorOfLabel(labels, label)))),
      line: rgbOf('var(--line-strong)'),
    });
    draw();
    // oxlint-disable-next-line react/exhaustive-deps -- `draw` only asks for a frame
  }, [whole, scheme, labels.join(' '), hidden.join(' ')]);

  useEffect(() => {
    const place = root ? findPlace(whole, root) : undefined;
    marks.current = { ...marks.current, root: place };
    // Who comes by a link looks where the sender looked.
    const near = wanted === '' && size.current.width > 1 ? aroundRoot() : undefined;
    if (near) move(near);
    else draw();
    // oxlint-disable-next-line react/exhaustive-deps -- only another node moves it
  }, [whole, root?.label, root?.name]);

  const nodeUnder = (event: { clientX: number; clientY: number }): number | undefined => {
    const box = frame.current?.getBoundingClientRect();
    if (!box) return undefined;
    const { x, y, scale } = whereAt.current;
    const [px, py] = [(event.clientX - box.left - x) / scale, (event.clientY - box.top - y) / scale];
    return grid.nearest(px, py, reachPixels / scale, isShown);
  };
  const pressed = useRef<{ x: number; y: number }>(undefined);

  return (
    <div className="whole-frame">
      {/* For the pointer only: the search, the lists and the buttons below are the other ways. */}
      <div
        className="whole-canvas"
        ref={frame}
        aria-hidden="true"
        data-ready={isAble === true}
        onPointerDown={({ clientX: x, clientY: y }) => {
          pressed.current = { x, y };
        }}
        onPointerMove={(event) => {
          if (event.buttons !== 0) return;
          const hovered = nodeUnder(event);
          event.currentTarget.style.cursor = hovered === undefined ? 'grab' : 'pointer';
          if (hovered === marks.current.hovered) return;
          marks.current = { ...marks.current, hovered };
          draw();
        }}
        onClick={(event) => {
          const start = pressed.current;
          const isDrag = start && Math.hypot(event.clientX - start.x, event.clientY - start.y) > 4;
          const node = isDrag ? undefined : nodeUnder(event);
          if (node !== undefined) onNode(nodeAt(whole, node));
        }}
      >
        <canvas ref={picture} />
        <canvas ref={names} />
      </div>
      {isAble === false && (
        <EmptyState icon="graph" title="This browser cannot draw it">
          The drawing needs WebGL 2. The search and the other views work without.
        </EmptyState>
      )}
      {isThinned && (
        <p className="whole-thinned small muted">Without a graphics card only some of the lines are drawn.</p>
      )}
      <div className="drawing-tools">
        <IconButton label="Larger" icon="plus" variant="secondary" isSmall onClick={() => zoom(1.6)} />
        <IconButton label="Smaller" icon="minus" variant="secondary" isSmall onClick={() => zoom(0.625)} />
        <IconButton label="Show all of it" icon="screen" variant="secondary" isSmall onClick={() => move(fitted())} />
      </div>
    </div>
  );
}

/** How long it is until the browser is ready for the next frame. */
function measureFrame(tell: (ms: number) => void): void {
  const start = performance.now();
  requestAnimationFrame(() => requestAnimationFrame(() => tell((performance.now() - start) / 2)));
}

function printCamera({ x, y, scale }: Camera, { width, height }: Size, all: Camera): string {
  if (scale === all.scale && x === all.x && y === all.y) return '';
  const middle = [(width / 2 - x) / scale, (height / 2 - y) / scale];
  return [...middle, scale / all.scale].map((part) => part.toFixed(2)).join(' ');
}

function parseCamera(text: string, { width, height }: Size, all: Camera): Camera | undefined {
  const [middleX = Number.NaN, middleY = Number.NaN, times = Number.NaN] = text.split(' ').map(Number);
  if (text === '' || ![middleX, middleY, times].every(Number.isFinite) || times <= 0) return undefined;
  const scale = Math.min(largestScale, all.scale * times);
  return { scale, x: width / 2 - middleX * scale, y: height / 2 - middleY * scale };
}

const nodeAt = (whole: WholeGraph, place: number): NodeRef => ({
  label: whole.labels[whole.label[place] ?? 0] ?? '',
  name: whole.name[place] ?? '',
});

function findPlace(whole: WholeGraph, { label, name }: NodeRef): number | undefined {
  const ofLabel = whole.labels.indexOf(label);
  const place = whole.name.findIndex((one, at) => one === name && whole.label[at] === ofLabel);
  return place < 0 ? undefined : place;
}
