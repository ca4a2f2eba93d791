import { useEffect, useRef, useState } from 'react';
import { Sigma } from 'sigma';
import { EdgeLineProgram } from 'sigma/rendering';
import { IconButton } from '../../design/button.tsx';
import { Progress } from '../../design/states.tsx';
import { useColorScheme } from '../../design/theme.ts';
import { colorOfLabel } from '../labels.ts';
import { isSame, type NodeRef } from '../node-key.ts';
import { fillGraph } from './fill-graph.ts';
import type { WholeGraph } from './whole.worker.ts';

type Camera = { x: number; y: number; ratio: number };

/** The whole graph, drawn by the graphics card. */
export function SigmaDrawing({
  whole,
  labels,
  hidden,
  root,
  camera,
  onCamera,
  onNode,
}: {
  whole: WholeGraph;
  /** All labels of the team, which give the colours. */
  labels: readonly string[];
  hidden: readonly string[];
  root: NodeRef | undefined;
  camera: string;
  onCamera: (camera: string) => void;
  onNode: (node: NodeRef) => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  const [sigma, setSigma] = useState<Sigma>();
  const [progress, setProgress] = useState<number>();
  const scheme = useColorScheme();
  const latest = useRef({ camera, onCamera, onNode });
  useEffect(() => {
    latest.current = { camera, onCamera, onNode };
  });
  const colorKey = labels.join(' ');

  useEffect(() => {
    const gone = new AbortController();
    let made: Sigma | undefined;
    const look = {
      colors: whole.labels.map((label) => toHex(colorOfLabel(colorKey.split(' '), label))),
      line: lineColor(scheme, whole.relationships.length / 2),
    };
    const draw = async (): Promise<void> => {
      const graph = await fillGraph(whole, look, gone.signal, setProgress);
      setProgress(undefined);
      if (!graph || !box.current || gone.signal.aborted) return;
      made = createSigma(graph, box.current, scheme);
      const start = parseCamera(latest.current.camera);
      if (start) made.getCamera().setState({ ...start, angle: 0 });
      made.on('clickNode', ({ node }) => latest.current.onNode(nodeAt(whole, Number(node))));
      reportCamera(made, gone.signal, (text) => latest.current.onCamera(text));
      setSigma(made);
    };
    void draw();
    return () => {
      gone.abort();
      made?.kill();
      setSigma(undefined);
    };
  }, [whole, scheme, colorKey]);

  const hiddenKey = hidden.join(' ');
  useEffect(() => {
    if (!sigma) return;
    const left = new Set(hiddenKey.split(' ').map((label) => whole.labels.indexOf(label)));
    sigma.setSetting('nodeReducer', (_node, data) =>
      left.has(data['sort'] as number) ? { ...data, hidden: true } : data,
    ); // set in fill-graph.ts
    sigma.refresh();
  }, [sigma, hiddenKey, whole]);

  const rootKey = root && `${root.label}\n${root.name}`;
  useEffect(() => {
    if (!sigma || rootKey === undefined) return;
    const [label = '', name = ''] = rootKey.split('\n');
    const place = findPlace(whole, { label, name });
    const data = place < 0 ? undefined : sigma.getNodeDisplayData(place);
    if (!data) return;
    sigma.getGraph().mergeNodeAttributes(place, { highlighted: true });
    // Who comes by a link wants to look where the sender looked.
    if (latest.current.camera === '')
      void sigma.getCamera().animate({ x: data.x, y: data.y, ratio: 0.12 }, { duration: 400 });
    return () => {
      if (sigma.getGraph().hasNode(place)) sigma.getGraph().mergeNodeAttributes(place, { highlighted: false });
    };
  }, [sigma, rootKey, whole]);

  return (
    <div className="whole-frame">
      <div className="whole-canvas" ref={box} data-ready={sigma !== undefined} aria-hidden="true" />
      {progress !== undefined && (
        <div className="whole-progress">
          <Progress label="Drawing" value={progress} />
        </div>
      )}
      <div className="drawing-tools">
        <IconButton
          label="Larger"
          icon="plus"
          variant="secondary"
          isSmall
          onClick={() => void sigma?.getCamera().animatedZoom()}
        />
        <IconButton
          label="Smaller"
          icon="minus"
          variant="secondary"
          isSmall
          onClick={() => void sigma?.getCamera().animatedUnzoom()}
        />
        <IconButton
          label="Show all of it"
          icon="screen"
          variant="secondary"
          isSmall
          onClick={() => void sigma?.getCamera().animatedReset()}
        />
      </div>
    </div>
  );
}

function createSigma(graph: ConstructorParameters<typeof Sigma>[0], box: HTMLElement, scheme: 'light' | 'dark'): Sigma {
  return new Sigma(graph, box, {
    allowInvalidContainer: true,
    // Hundreds of thousands of lines are redrawn when the movement ends.
    hideEdgesOnMove: graph.size > 20_000,
    hideLabelsOnMove: true,
    enableEdgeEvents: false,
    defaultEdgeType: 'line',
    edgeProgramClasses: { line: EdgeLineProgram },
    zIndex: false,
    labelDensity: 0.3,
    labelRenderedSizeThreshold: 4.5,
    labelFont: 'system-ui, sans-serif',
    labelSize: 12,
    labelColor: { color: scheme === 'dark' ? '#e6ebf2' : '#17202c' },
    minCameraRatio: 0.002,
    maxCameraRatio: 3,
    itemSizesReference: 'screen',
    zoomToSizeRatioFunction: (ratio) => Math.sqrt(Math.max(ratio, 0.02)),
  });
}

/** Tells where the camera came to rest. */
function reportCamera(sigma: Sigma, signal: AbortSignal, tell: (camera: string) => void): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  signal.addEventListener('abort', () => clearTimeout(timer));
  sigma.getCamera().on('updated', ({ x, y, ratio }) => {
    clearTimeout(timer);
    const isAtRest = Math.abs(x - 0.5) < 1e-4 && Math.abs(y - 0.5) < 1e-4 && Math.abs(ratio - 1) < 1e-4;
    timer = setTimeout(() => tell(isAtRest ? '' : [x, y, ratio].map((part) => part.toFixed(4)).join(' ')), 400);
  });
}

function parseCamera(text: string): Camera | undefined {
  const [x = Number.NaN, y = Number.NaN, ratio = Number.NaN] = text.split(' ').map(Number);
  return text !== '' && [x, y, ratio].every(Number.isFinite) && ratio > 0 ? { x, y, ratio } : undefined;
}

const nodeAt = (whole: WholeGraph, place: number): NodeRef => ({
  label: whole.labels[whole.label[place] ?? 0] ?? '',
  name: whole.name[place] ?? '',
});

function findPlace(whole: WholeGraph, node: NodeRef): number {
  return whole.name.findIndex((name, place) => name === node.name && isSame(nodeAt(whole, place), node));
}

/** The more lines, the fainter each, so that a crowd is a shade and not a wall. The shader wants colours that are multiplied already. */
function lineColor(scheme: 'light' | 'dark', lines: number): string {
  const alpha = Math.min(0.5, Math.max(0.03, 6000 / Math.max(1, lines)));
  const grey = scheme === 'dark' ? [0x7a, 0x8a, 0xa2] : [0x5a, 0x68, 0x7c];
  return `#${[...grey.map((part) => part * alpha), 255 * alpha].map(hexOf).join('')}`;
}

const hexOf = (part: number): string => Math.round(part).toString(16).padStart(2, '0');

/** Whatever the style sheet says, as the graphics card wants it: drawn on one pixel and read back. */
function toHex(color: string): string {
  const probe = document.createElement('span');
  probe.style.color = color;
  document.body.append(probe);
  const computed = getComputedStyle(probe).color;
  probe.remove();
  const context = document.createElement('canvas').getContext('2d');
  if (!context) return '#888888';
  context.fillStyle = computed;
  context.fillRect(0, 0, 1, 1);
  const [r = 0, g = 0, b = 0] = context.getImageData(0, 0, 1, 1).data;
  return `#${[r, g, b].map(hexOf).join('')}`;
}
