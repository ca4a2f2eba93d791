import { useEffect, useMemo, useState } from 'react';
import type { Drawing } from './drawing.ts';
import type { Direction, Layout } from './layout.ts';
import type { LayoutAnswer, LayoutRequest } from './layout.worker.ts';

let worker: Worker | undefined;
let lastId = 0;

/** Places of the nodes; undefined while they are being found. A drawing that says the same is not laid out again. */
export function useLayout(
  drawing: Drawing,
  direction: Direction,
): { layout: Layout; direction: Direction } | undefined {
  const [found, setFound] = useState<{ layout: Layout; direction: Direction }>();
  const text = useMemo(() => JSON.stringify(drawing), [drawing]);
  useEffect(() => {
    worker ??= new Worker(new URL('./layout.worker.ts', import.meta.url), { type: 'module' });
    const here = worker;
    const id = ++lastId;
    const listen = ({ data }: MessageEvent<LayoutAnswer>): void => {
      if (data.id === id) setFound({ layout: data.layout, direction });
    };
    here.addEventListener('message', listen);
    const request: LayoutRequest = { id, drawing: JSON.parse(text) as Drawing, direction }; // written above
    here.postMessage(request);
    return () => here.removeEventListener('message', listen);
  }, [text, direction]);
  return found;
}
