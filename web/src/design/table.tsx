import type { KeyboardEvent, ReactNode } from 'react';
import './table.css';

export type Column<Row> = {
  head: string;
  cell: (row: Row) => ReactNode;
  /** Figures stand right, under each other. */
  isNumber?: boolean;
  /** Takes only the width it needs. */
  isNarrow?: boolean;
  /** The head is only for those who hear it: columns of buttons. */
  isHeadUnseen?: boolean;
};

/**
 * A real table in a box of its own: wide ones scroll inside it, by keyboard too. With `onOpen` rows can be walked with the arrow keys
 * and opened with Enter; a link or button in the row should do the same, for those who do not know.
 */
export function Table<Row>({
  label,
  columns,
  rows,
  keyOf,
  onOpen,
  isSelected,
  maxHeight,
}: {
  label: string;
  columns: Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string | number;
  onOpen?: ((row: Row) => void) | undefined;
  isSelected?: (row: Row) => boolean;
  /** With one the head stays in sight while the rows scroll. */
  maxHeight?: string;
}) {
  return (
    // A region that scrolls must be reachable without a pointer.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section className="table-box" aria-label={label} tabIndex={0} style={maxHeight ? { maxHeight } : undefined}>
      <table className={onOpen ? 'table table-open' : 'table'}>
        <thead>
          <tr>
            {columns.map(({ head, isNumber, isNarrow, isHeadUnseen }) => (
              <th key={head} scope="col" className={cellClass({ isNumber, isNarrow })}>
                {isHeadUnseen ? <span className="unseen">{head}</span> : head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr
              key={keyOf(row)}
              tabIndex={onOpen ? (index === 0 ? 0 : -1) : undefined}
              aria-current={isSelected?.(row) ? 'true' : undefined}
              onClick={onOpen && ((event) => !isControl(event.target) && onOpen(row))}
              onKeyDown={onOpen && ((event) => handleKey(event, () => onOpen(row)))}
            >
              {columns.map(({ head, cell, isNumber, isNarrow }) => (
                <td key={head} className={cellClass({ isNumber, isNarrow })}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const cellClass = ({ isNumber, isNarrow }: { isNumber?: boolean; isNarrow?: boolean }): string | undefined =>
  [isNumber && 'cell-number', isNarrow && 'cell-narrow'].filter(Boolean).join(' ') || undefined;

/** Links and buttons inside a row do their own thing. */
const isControl = (target: EventTarget): boolean =>
  target instanceof Element && target.closest('a, button, input, select, label') !== null;

function handleKey(event: KeyboardEvent<HTMLTableRowElement>, open: () => void): void {
  if (event.target !== event.currentTarget) return;
  if (event.key === 'Enter') {
    open();
    return;
  }
  const step = { ArrowDown: 'nextElementSibling', ArrowUp: 'previousElementSibling' } as const;
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const next = event.currentTarget[step[event.key]];
  if (next instanceof HTMLElement) next.focus();
  event.preventDefault();
}
