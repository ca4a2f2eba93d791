import type { Camera } from '../around/pan-zoom.ts';
import type { NodeGrid } from './node-grid.ts';
import type { WholeGraph } from './whole.worker.ts';

export type Marks = { hovered: number | undefined; root: number | undefined };
type Colors = { text: string; halo: string; accent: string };

/** With more nodes in sight only the most connected are named, and few of those. */
const [mostInSight, mostNames, fewNames] = [4000, 250, 40];
/** About what a letter and a line of the font take. */
const [letterWidth, lineHeight] = [6.8, 16];

/** Names and rings over the drawing: text is what the graphics card is bad at. */
export function drawNames(
  context: CanvasRenderingContext2D,
  size: { width: number; height: number },
  camera: Camera,
  {
    whole,
    grid,
    isShown,
    marks,
    colors,
  }: { whole: WholeGraph; grid: NodeGrid; isShown: (node: number) => boolean; marks: Marks; colors: Colors },
): void {
  context.clearRect(0, 0, size.width, size.height);
  context.font = '12px system-ui, sans-serif';
  context.textBaseline = 'middle';
  const place = (node: number): [number, number] => [
    (whole.x[node] ?? 0) * camera.scale + camera.x,
    (whole.y[node] ?? 0) * camera.scale + camera.y,
  ];
  if (marks.hovered !== undefined) drawRelationships(context, whole, marks.hovered, place, colors.accent);

  const box = {
    left: -camera.x / camera.scale,
    top: -camera.y / camera.scale,
    right: (size.width - camera.x) / camera.scale,
    bottom: (size.height - camera.y) / camera.scale,
  };
  const inSight = grid.within(box, mostInSight)?.toSorted((a, b) => (whole.size[b] ?? 0) - (whole.size[a] ?? 0));
  let left = inSight ? mostNames : fewNames;
  const room = createRoom();
  const write = (node: number, isMarked: boolean): void => {
    const [x, y] = place(node);
    const isOutside = x < 0 || y < 0 || x > size.width || y > size.height;
    const text = shorten(whole.name[node] ?? '', isMarked ? 60 : 24);
    const start = x + 6 + Math.min(9, camera.scale / 2);
    if (isOutside || !room.take(start, y, text.length * letterWidth)) return;
    left--;
    context.lineWidth = 3;
    context.strokeStyle = colors.halo;
    context.fillStyle = isMarked ? colors.accent : colors.text;
    context.strokeText(text, start, y);
    context.fillText(text, start, y);
  };
  for (const node of [marks.hovered, marks.root]) {
    if (node === undefined) continue;
    const [x, y] = place(node);
    context.beginPath();
    context.arc(x, y, 5 + Math.min(9, camera.scale / 2), 0, 2 * Math.PI);
    context.lineWidth = 2;
    context.strokeStyle = colors.accent;
    context.stroke();
    write(node, true);
  }
  for (const node of inSight ?? whole.known) {
    if (left <= 0) return;
    if (isShown(node)) write(node, false);
  }
}

/** Where names stand already: one over another could not be read. */
function createRoom() {
  const rows = new Map<number, [number, number][]>();
  return {
    take(x: number, y: number, width: number): boolean {
      const row = Math.floor(y / lineHeight);
      const near = [row - 1, row, row + 1].flatMap((one) => rows.get(one) ?? []);
      if (near.some(([from, to]) => x < to && x + width > from)) return false;
      rows.set(row, [...(rows.get(row) ?? []), [x, x + width]]);
      return true;
    },
  };
}

function drawRelationships(
  context: CanvasRenderingContext2D,
  { relationships }: WholeGraph,
  node: number,
  place: (node: number) => [number, number],
  color: string,
): void {
  context.beginPath();
  const [x, y] = place(node);
  for (let i = 0; i < relationships.length; i += 2) {
    const [source, target] = [relationships[i] ?? 0, relationships[i + 1] ?? 0];
    if (source !== node && target !== node) continue;
    context.moveTo(x, y);
    context.lineTo(...place(source === node ? target : source));
  }
  context.lineWidth = 1;
  context.strokeStyle = color;
  context.stroke();
}

const shorten = (name: string, most: number): string => (name.length <= most ? name : `${name.slice(0, most - 1)}…`);
