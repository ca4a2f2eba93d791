import { type ReactNode, useEffect, useRef, useState } from 'react';
import { IconButton } from '../design/button.tsx';
import { Loading } from '../design/states.tsx';
import type { Drawing } from './drawing.ts';
import './drawing.css';
import { type Direction, type Layout, nodeSize, pathOf } from './layout.ts';
import type { Tone } from './status.ts';
import { useLayout } from './use-layout.ts';

/** What one box of a drawing shows. */
export type Box = {
  title: string;
  note: string;
  tone: Tone;
  icon?: ReactNode;
  /** From 0 to 1. */
  progress?: number | null;
  isRunning?: boolean;
  /** Several of a kind: the elements of a foreach. */
  isStack?: boolean;
};

const narrowBelow = 640;
const smallestFit = 0.7;
const zooms = { min: 0.25, max: 2, step: 1.25 };

/** A workflow as a picture: boxes that can be chosen, and lines from what comes first to what comes next. */
export function DrawingView({
  label,
  drawing,
  boxOf,
  selected,
  onSelect,
}: {
  label: string;
  drawing: Drawing;
  boxOf: (id: string) => Box | undefined;
  selected: string;
  onSelect: (id: string) => void;
}) {
  const frame = useRef<HTMLElement>(null);
  const width = useWidth(frame);
  const [zoom, setZoom] = useState<number>();
  const placed = useLayout(drawing, width < narrowBelow ? 'down' : 'right');
  const fit = placed ? Math.min(1, Math.max(smallestFit, width / placed.layout.width)) : 1;
  const scale = zoom ?? fit;
  const change = (factor: number): void => setZoom(Math.min(zooms.max, Math.max(zooms.min, scale * factor)));
  return (
    <div className="drawing">
      {/* A region that scrolls must be reachable without a pointer. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <section className="drawing-frame" ref={frame} aria-label={label} tabIndex={0}>
        {placed ? (
          <div
            className="drawing-room"
            style={{ width: placed.layout.width * scale, height: placed.layout.height * scale }}
          >
            <div
              className="drawing-sheet"
              style={{
                width: placed.layout.width,
                height: placed.layout.height,
                transform: `scale(${scale})`,
              }}
            >
              <Lines layout={placed.layout} direction={placed.direction} boxOf={boxOf} />
              {drawing.nodes.map(({ id, isJunction }) => {
                const place = placed.layout.nodes.get(id);
                const box = isJunction ? undefined : boxOf(id);
                if (!place || !box) return null;
                const left = place.x - nodeSize.width / 2;
                const top = place.y - nodeSize.height / 2;
                return (
                  <BoxButton
                    key={id}
                    box={box}
                    isSelected={id === selected}
                    at={{ left, top }}
                    onSelect={() => onSelect(id)}
                  />
                );
              })}
            </div>
          </div>
        ) : (
          <Loading label="Drawing" />
        )}
      </section>
      <div className="drawing-tools">
        <IconButton isSmall variant="secondary" icon="minus" label="Smaller" onClick={() => change(1 / zooms.step)} />
        <IconButton isSmall variant="secondary" icon="plus" label="Larger" onClick={() => change(zooms.step)} />
        <IconButton isSmall variant="secondary" icon="screen" label="Fit" onClick={() => setZoom(undefined)} />
      </div>
    </div>
  );
}

function BoxButton({
  box,
  isSelected,
  at,
  onSelect,
}: {
  box: Box;
  isSelected: boolean;
  at: { left: number; top: number };
  onSelect: () => void;
}) {
  const { title, note, tone, icon, progress, isRunning, isStack } = box;
  const classes = ['box', `box-${tone}`, isRunning && 'box-running', isStack && 'box-stack'].filter(Boolean).join(' ');
  return (
    <button
      type="button"
      className={classes}
      style={{ ...at, ...nodeSize }}
      aria-pressed={isSelected}
      title={title}
      onClick={onSelect}
    >
      <span className="box-title">
        {icon}
        <span className="box-name">{title}</span>
      </span>
      <span className="box-note">{note}</span>
      {typeof progress === 'number' && (
        <span className="box-progress" aria-hidden="true">
          <span style={{ width: `${Math.round(progress * 100)}%` }} />
        </span>
      )}
    </button>
  );
}

function Lines({
  layout,
  direction,
  boxOf,
}: {
  layout: Layout;
  direction: Direction;
  boxOf: (id: string) => Box | undefined;
}) {
  return (
    <svg className="drawing-lines" width={layout.width} height={layout.height} aria-hidden="true">
      {layout.edges.map(({ from, to, points }) => {
        const end = points.at(-1);
        const isArrow = boxOf(to) !== undefined;
        return (
          <g key={`${from} ${to}`}>
            <path d={pathOf(points, direction)} />
            {end && isArrow && <path className="drawing-arrow" d={arrowAt(end, direction)} />}
          </g>
        );
      })}
      {[...layout.nodes].map(([id, { x, y }]) => boxOf(id) === undefined && <circle key={id} cx={x} cy={y} r={3.5} />)}
    </svg>
  );
}

const arrowAt = ({ x, y }: { x: number; y: number }, direction: Direction): string =>
  direction === 'right'
    ? `M${x - 7} ${y - 4}L${x} ${y}L${x - 7} ${y + 4}Z`
    : `M${x - 4} ${y - 7}L${x} ${y}L${x + 4} ${y - 7}Z`;

/** Of an element, as it changes. */
function useWidth(element: { current: HTMLElement | null }): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const { current } = element;
    if (!current) return undefined;
    const observer = new ResizeObserver(() => setWidth(current.clientWidth));
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
