import { styleText } from 'node:util';

export type Column<Row> = { title: string; value: (row: Row) => string };

/** Aligned columns for people; programs are given `--json`. */
export function formatTable<Row>(columns: Column<Row>[], rows: Row[], { isStyled = false } = {}): string {
  const cells = [
    columns.map((column) => column.title),
    ...rows.map((row) => columns.map((c) => printable(c.value(row)))),
  ];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => displayWidth(line[index] ?? ''))));
  return cells
    .map((line, number) => {
      const text = line.map((cell, index) => cell + ' '.repeat((widths[index] ?? 0) - displayWidth(cell))).join('  ');
      const trimmed = text.trimEnd();
      return number === 0 && isStyled ? styleText('bold', trimmed, { validateStream: false }) : trimmed;
    })
    .join('\n');
}

/** Columns that a terminal gives the text: East Asian characters and emoji take two, combining marks none. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += isWide.test(segment) ? 2 : 1;
  return width;
}

const graphemes = new Intl.Segmenter();
const isWide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{RGI_Emoji}/v;

/** A terminal obeys control characters, and names are given by others. */
export const printable = (text: string): string => text.replace(/[\u0000-\u001f\u007f-\u009f]/g, '\ufffd');
