import type { RowResult } from './case.ts';

export function toTable(rows: RowResult[]): string {
  const cells = [
    ['case', 'ours', 'peer', 'unit', 'ratio', 'target', ''],
    ...rows.map((row) => [
      row.title,
      toFigure(row.ours),
      row.peer === null ? '' : `${toFigure(row.peer)} (${row.peerName})`,
      row.unit,
      row.ratio?.toFixed(2) ?? '',
      row.target,
      row.target === '' ? '' : row.isMet ? 'met' : 'MISSED',
    ]),
  ];
  const widths = cells[0].map((_, column) => Math.max(...cells.map((line) => line[column].length)));
  return cells
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Three digits that mean something, whatever the size. */
function toFigure(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en-US');
  return value.toPrecision(3);
}
