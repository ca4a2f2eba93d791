import { useEffect, useMemo, useRef, useState } from 'react';
import type { Layout, LayoutQuestion } from './layout.ts';

/** The layout of what is given; the former one until the worker has the new one. */
export function useLayout(question: LayoutQuestion): { layout: Layout | undefined; isBusy: boolean } {
  const worker = useRef<Worker>(undefined);
  const latest = useRef<{ id: number; question: LayoutQuestion }>(undefined);
  const [placed, setPlaced] = useState<{ question: LayoutQuestion; layout: Layout }>();
  // The same drawing is often made anew by a rendering that changed something else.
  const text = JSON.stringify(question);
  const same = useMemo(() => JSON.parse(text) as LayoutQuestion, [text]); // what was just printed

  useEffect(() => {
    const started = new Worker(new URL('./layout.worker.ts', import.meta.url), { type: 'module' });
    worker.current = started;
    started.addEventListener('message', ({ data }: MessageEvent<{ id: number; layout: Layout }>) => {
      const asked = latest.current;
      if (data.id === asked?.id) setPlaced({ question: asked.question, layout: data.layout });
    });
    return () => started.terminate();
  }, []);
  useEffect(() => {
    latest.current = { id: (latest.current?.id ?? 0) + 1, question: same };
    worker.current?.postMessage(latest.current);
  }, [same]);

  return { layout: placed?.layout, isBusy: placed?.question !== same };
}
