/** The flat names of a message, which are the columns of a CSV file. */
export const flatFields = [
  'source_label',
  'source_name',
  'source_from',
  'source_to',
  'target_label',
  'target_name',
  'target_from',
  'target_to',
  'rel_from',
  'rel_to',
] as const;
export type FlatField = (typeof flatFields)[number];

/** `--map column=field` */
export type Renaming = { column: string; field: FlatField };

/** Which field each column holds; undefined for a column that is none. */
export type Header = { fields: Array<FlatField | undefined>; unknown: string[] };

/** Reads the first record of a file, or answers the sentence that says why it cannot be one. */
export function readHeader(cells: string[], renamings: Renaming[]): Header | string {
  const names = cells.map((cell) => cell.trim());
  const missing = renamings.find(({ column }) => !names.includes(column));
  if (missing) return `it has no column "${missing.column}"; it has ${names.join(', ')}`;
  const fields = names.map((name) => renamings.find(({ column }) => column === name)?.field ?? findField(name));
  const twice = fields.find((field, index) => field !== undefined && fields.indexOf(field) !== index);
  if (twice) return `two of its columns are ${twice}`;
  for (const needed of ['source_label', 'source_name'] as const) {
    if (!fields.includes(needed))
      return `none of its columns is ${needed}; it has ${names.join(', ')}. Name one with --map COLUMN=${needed}`;
  }
  return { fields, unknown: names.filter((_, index) => fields[index] === undefined) };
}

/** The record as one line of NDJSON. What is wrong with its values is for the server to say. */
export function toMessageLine(cells: string[], { fields }: Header): { line: string } | { fault: string } {
  if (cells.length > fields.length && cells.slice(fields.length).some((cell) => cell !== ''))
    return { fault: `it has ${cells.length} cells, the header has ${fields.length}` };
  const message: Partial<Record<FlatField, string | number>> = {};
  for (const [index, cell] of cells.entries()) {
    const field = fields[index];
    if (field === undefined || cell === '') continue;
    // The decoder puts it where bytes were no UTF-8.
    if (cell.includes('\ufffd')) return { fault: `${field} is not UTF-8; save the file in that encoding` };
    message[field] = isTime(field) && /^\s*\d{1,15}\s*$/.test(cell) ? Number(cell) : cell;
  }
  return { line: `${JSON.stringify(message)}\n` };
}

const findField = (name: string): FlatField | undefined => flatFields.find((field) => field === name.toLowerCase());
const isTime = (field: FlatField): boolean => field.endsWith('_from') || field.endsWith('_to');
