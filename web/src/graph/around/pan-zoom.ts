import { type RefObject, useCallback, useEffect, useRef } from 'react';

/** Where the drawing's origin stands in the window, and how large a unit is. */
export type Camera = { x: number; y: number; scale: number };
type Size = { width: number; height: number };

/** How small and how large a unit may become. */
export type Limits = { smallest: number; largest: number };

/** The whole drawing in the middle, and no larger than `largest`. */
export function fit(drawing: Size, frame: Size, largest = 1): Camera {
  const room = Math.min(frame.width / drawing.width, frame.height / drawing.height);
  const scale = Math.min(largest, room);
  return {
    scale,
    x: (frame.width - drawing.width * scale) / 2,
    y: (frame.height - drawing.height * scale) / 2,
  };
}

/** Larger or smaller around a point of the window, which stays where it is. */
export function zoomAt(camera: Camera, factor: number, at: { x: number; y: number }, limits: Limits): Camera {
  const scale = Math.min(limits.largest, Math.max(limits.smallest, camera.scale * factor));
  const real = scale / camera.scale;
  return { scale, x: at.x - (at.x - camera.x) * real, y: at.y - (at.y - camera.y) * real };
}

/**
 * Moves a drawing with the pointer, with two fingers and with the wheel. `show` is told where it is and writes that straight to the
 * drawing: a frame of a movement renders nothing.
 */
export function usePanZoom(
  frame: RefObject<Element | null>,
  show: (camera: Camera) => void,
  limits: Limits = { smallest: 0.08, largest: 2.5 },
) {
  const camera = useRef<Camera>({ x: 0, y: 0, scale: 1 });
  const latest = useRef({ show, limits });
  useEffect(() => {
    latest.current = { show, limits };
  });

  const move = useCallback((next: Camera) => {
    camera.current = next;
    latest.current.show(next);
  }, []);
  const zoomTo = useCallback(
    (factor: number, at: { x: number; y: number }) => move(zoomAt(camera.current, factor, at, latest.current.limits)),
    [move],
  );
  const zoom = (factor: number): void => {
    const { clientWidth = 0, clientHeight = 0 } = frame.current ?? {};
    zoomTo(factor, { x: clientWidth / 2, y: clientHeight / 2 });
  };

  useEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const pointers = new Map<number, { x: number; y: number }>();
    const end = new AbortController();
    const listen = { signal: end.signal };

    const place = (event: { clientX: number; clientY: number }): { x: number; y: number } => {
      const box = element.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    element.addEventListener(
      'wheel',
      (event) => {
        if (!(event instanceof WheelEvent)) return;
        event.preventDefault();
        zoomTo(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)), place(event));
      },
      { ...listen, passive: false },
    );
    element.addEventListener(
      'pointerdown',
      (event) => event instanceof PointerEvent && pointers.set(event.pointerId, place(event)),
      listen,
    );
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
          zoomTo(factor, other);
        } else
          move({ ...camera.current, x: camera.current.x + now.x - before.x, y: camera.current.y + now.y - before.y });
        pointers.set(event.pointerId, now);
      },
      listen,
    );
    for (const name of ['pointerup', 'pointercancel'] as const)
      addEventListener(name, (event) => pointers.delete(event.pointerId), listen);
    return () => end.abort();
  }, [frame, move, zoomTo]);

  return { camera, move, zoom };
}

const distance = (a: { x: number; y: number }, b: { x: number; y: number }): number => Math.hypot(a.x - b.x, a.y - b.y);
