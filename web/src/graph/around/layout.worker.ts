import { type LayoutQuestion, layOutLayers } from './layout.ts';

/** Layouts of hundreds of nodes take a while, in which the page must answer. */
self.addEventListener('message', ({ data }: MessageEvent<{ id: number; question: LayoutQuestion }>) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker speaks only to its page
  self.postMessage({ id: data.id, layout: layOutLayers(data.question) });
});
