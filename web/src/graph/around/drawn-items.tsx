import type { KeyboardEvent } from 'react';
import { pluralOf } from '../labels.ts';
import type { DrawnNode, DrawnRest } from './drawing-model.ts';
import type { Point } from './layout.ts';

export const [nodeWidth, nodeHeight, restHeight] = [204, 44, 30];
/** Names are cut in the middle: beginnings tell sorts, ends tell one from the other. */
const longestName = 24;

type Placed = { at: Point; onOpen: (item: DrawnNode | DrawnRest) => void; isFirst: boolean };

export function Node({
  item,
  at,
  color,
  isChosen,
  isRoot,
  isFirst,
  onOpen,
}: Placed & { item: DrawnNode; color: string; isChosen: boolean; isRoot: boolean }) {
  const outer = item.side === 'impacted' ? 0 : nodeWidth;
  const shown = shorten(item.name);
  // What is heard begins with what is seen, so that it can be said to choose it.
  const heard = [
    `${shown} ${item.label}`,
    shown === item.name ? '' : `in full ${item.name}`,
    item.isOld ? 'not active that day' : '',
    isRoot ? 'in the middle' : '',
  ];
  return (
    <g
      className="drawing-node"
      role="button"
      tabIndex={isFirst ? 0 : -1}
      aria-label={heard.filter((part) => part !== '').join(', ')}
      aria-expanded={isRoot ? undefined : item.isOpen}
      data-key={item.key}
      data-old={item.isOld || undefined}
      data-chosen={isChosen || undefined}
      data-root={isRoot || undefined}
      transform={`translate(${at.x - nodeWidth / 2} ${at.y - nodeHeight / 2})`}
      {...press(() => onOpen(item))}
    >
      <rect className="drawing-box" width={nodeWidth} height={nodeHeight} rx="8" />
      <rect x="8" y="9" width="4" height={nodeHeight - 18} rx="2" style={{ fill: color }} />
      <text>
        <tspan x="20" y="19" className="drawing-name">
          {shown}
        </tspan>{' '}
        <tspan x="20" y="34" className="drawing-label">
          {item.label}
        </tspan>
      </text>
      {!isRoot && (
        <g transform={`translate(${outer} ${nodeHeight / 2})`} className="drawing-knob">
          <circle r="8" />
          <path d={item.isOpen ? 'M-3.5 0h7' : 'M-3.5 0h7M0-3.5v7'} />
        </g>
      )}
    </g>
  );
}

export function Rest({ item, at, onOpen, isFirst }: Placed & { item: DrawnRest }) {
  const text = `and ${item.count.toLocaleString()} more ${pluralOf(item.label, item.count)}`;
  return (
    <g
      className="drawing-node drawing-rest"
      role="button"
      tabIndex={isFirst ? 0 : -1}
      aria-label={`${text}, as a list`}
      data-key={item.key}
      transform={`translate(${at.x - nodeWidth / 2} ${at.y - restHeight / 2})`}
      {...press(() => onOpen(item))}
    >
      <rect className="drawing-box" width={nodeWidth} height={restHeight} rx={restHeight / 2} />
      <text x={nodeWidth / 2} y="20" textAnchor="middle">
        {text}
      </text>
    </g>
  );
}

/** A click that ends a drag is none. */
function press(act: () => void) {
  let start: { x: number; y: number } | undefined;
  return {
    onPointerDown: (event: { clientX: number; clientY: number }) => {
      start = { x: event.clientX, y: event.clientY };
    },
    onClick: (event: { clientX: number; clientY: number }) => {
      const isDrag = start && Math.hypot(event.clientX - start.x, event.clientY - start.y) > 4;
      if (!isDrag) act();
    },
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      act();
    },
  };
}

function shorten(name: string): string {
  const letters = [...name];
  if (letters.length <= longestName) return name;
  return `${letters.slice(0, 13).join('')}…${letters.slice(-10).join('')}`;
}
