/**
 * The address bar has UTC, so that a link means the same to everybody; fields have the reader's own time.
 *
 *     2026-11-15T10:30:00.000Z  ⇄  2026-11-15T11:30 (in Paris)
 */
export function toLocalInput(utc: string): string {
  const date = new Date(utc);
  if (utc === '' || Number.isNaN(date.getTime())) return '';
  const day = `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

const two = (value: number): string => String(value).padStart(2, '0');

export function fromLocalInput(text: string): string {
  const date = new Date(text);
  return text === '' || Number.isNaN(date.getTime()) ? '' : date.toISOString();
}
