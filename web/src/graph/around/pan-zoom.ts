import { type RefObject, useCallback, useEffect, useRef } from 'react';

/** Where the drawing's origin stands in the window, and how large a unit is. */
export type Camera = { x: number; y: number; scale: number };
type Size = { width: number; height: number };

const [smallest, largest] = [0.08, 2.5];

/** The whole drawing in the middle, never larger than life. */
export function fit(drawing: Size, frame: Size): Camera {
  const room = Math.min(frame.width / drawing.width, frame.height / drawing.height);
  const scale = Math.min(1, Math.max(smallest, room));
  return {
    scale,
    x: (frame.width - drawing.width * scale) / 2,
    y: (frame.height - drawing.height * scale) / 2,
  };
}

/** Larger or smaller around a point of the window, which stays where it is. */
export function zoomAt(camera: Camera, factor: number, at: { x: number; y: number }): Camera {
  const scale = Math.min(largest, Math.max(smallest, camera.scale * factor));
  const real = scale / camera.scale;
  return { scale, x: at.x - (at.x - camera.x) * real, y: at.y - (at.y - camera.y) * real };
}

/**
 * Moves what is in `content` with the pointer, with two fingers and with the wheel. The camera is written straight to the drawing: a frame
 * of a movement renders nothing.
 */
export function usePanZoom(frame: RefObject<SVGSVGElement | null>, content: RefObject<SVGGElement | null>) {
  const camera = useRef<Camera>({ x: 0, y: 0, scale: 1 });

  const move = useCallback(
    (next: Camera) => {
      camera.current = next;
      content.current?.setAttribute('transform', `translate(${next.x} ${next.y}) scale(${next.scale})`);
    },
    [content],
  );

  const zoom = (factor: number): void => {
    const { clientWidth = 0, clientHeight = 0 } = frame.current ?? {};
    move(zoomAt(camera.current, factor, { x: clientWidth / 2, y: clientHeight / 2 }));
  };

  useEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const pointers = new Map<number, { x: number; y: number }>();
    const end = new AbortController();
    const listen = { signal: end.signal };

    const place = (event: MouseEvent): { x: number; y: number } => {
      const box = element.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    element.addEventListener(
      'wheel',
      (event) => {
        event.preventDefault();
        move(zoomAt(camera.current, Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)), place(event)));
      },
      { ...listen, passive: false },
    );
    element.addEventListener('pointerdown', (event) => pointers.set(event.pointerId, place(event)), listen);
    // A drag may leave the frame and end elsewhere.
    addEventListener(
      'pointermove',
      (event) => {
        const before = pointers.get(event.pointerId);
        if (!before) return;
        const now = place(event);
        const [other] = [...pointers].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
        if (other) {
          const factor = distance(now, other) / Math.max(1, distance(before, other));
          move(zoomAt(camera.current, factor, other));
        } else
          move({ ...camera.current, x: camera.current.x + now.x - before.x, y: camera.current.y + now.y - before.y });
        pointers.set(event.pointerId, now);
      },
      listen,
    );
    for (const name of ['pointerup', 'pointercancel'] as const)
      addEventListener(name, (event) => pointers.delete(event.pointerId), listen);
    return () => end.abort();
  }, [frame, move]);

  return { camera, move, zoom };
}

const distance = (a: { x: number; y: number }, b: { x: number; y: number }): number => Math.hypot(a.x - b.x, a.y - b.y);
