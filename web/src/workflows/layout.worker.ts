import type { Drawing } from './drawing.ts';
import { type Direction, type Layout, layOut } from './layout.ts';

export type LayoutRequest = { id: number; drawing: Drawing; direction: Direction };
export type LayoutAnswer = { id: number; layout: Layout };

/** Placing hundreds of nodes takes a while: the page stays responsive because this happens elsewhere. */
self.addEventListener('message', (event: MessageEvent<LayoutRequest>) => {
  const { id, drawing, direction } = event.data;
  const answer: LayoutAnswer = { id, layout: layOut(drawing, direction) };
  self.postMessage(answer);
});
