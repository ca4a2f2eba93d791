import { InvalidArgumentError } from 'commander';
import { type Role, roles, type Scope, scopes } from '../identity/access.ts';
import { flatFields, type Renaming } from './csv-messages.ts';

/** `Read,write` in any case. */
export function parseScopes(text: string): Scope[] {
  const names = text.split(',').map((name) => name.trim());
  return names.filter(Boolean).map((name) => oneOf(scopes, name, 'scope'));
}

export type GrantArgument = { user: string; role: Role };

/** `ann=editor`. A user's name may have "=" in it, a role's does not. Collects what is given several times. */
export function parseGrants(text: string, former: GrantArgument[] = []): GrantArgument[] {
  const at = text.lastIndexOf('=');
  if (at < 1) throw new InvalidArgumentError('Give it as USER=ROLE, such as ann=editor.');
  return [...former, { user: text.slice(0, at), role: oneOf(roles, text.slice(at + 1), 'role') }];
}

const unitMs: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** `90m`, `12h`, `30d` or `2w` from now, or a date or time; a date means its beginning in UTC. */
export function parseExpiry(text: string, nowMs: number): string {
  const [, count, unit = ''] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  if (count !== undefined) return new Date(nowMs + Number(count) * (unitMs[unit] ?? 0)).toISOString();
  const isDate = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text);
  const ms = isDate ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) {
    throw new InvalidArgumentError('Give it as 90m, 12h, 30d or 2w, as 2027-01-31, or as 2027-01-31T12:00:00Z.');
  }
  return new Date(ms).toISOString();
}

/** `app=source_name`. A column's name may have "=" in it, a field's does not. */
export function parseRenamings(text: string, former: Renaming[] = []): Renaming[] {
  const at = text.lastIndexOf('=');
  if (at < 1) throw new InvalidArgumentError('Give it as COLUMN=FIELD, such as app=source_name.');
  return [...former, { column: text.slice(0, at).trim(), field: oneOf(flatFields, text.slice(at + 1), 'field') }];
}

/** One character; a tab may be spelt. */
export function parseDelimiter(text: string): string {
  const character = text === 'tab' || text === '\\t' ? '\t' : text;
  if (character.length !== 1 || character === '"' || character === '\n' || character === '\r')
    throw new InvalidArgumentError('Give one character, such as ";", or "tab".');
  return character;
}

export function parseWhole(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Give a whole number.');
  return Number(text);
}

/** Unix seconds, a date (its beginning in UTC), or a time with its zone. */
export function parseTime(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const isDate = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text);
  const ms = isDate ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms) || ms < 0)
    throw new InvalidArgumentError('Give unix seconds such as 1794708480, 2026-11-15, or 2026-11-15T02:08:00Z.');
  return Math.floor(ms / 1000);
}

function oneOf<T extends string>(known: readonly T[], text: string, what: string): T {
  const found = known.find((name) => name.toLowerCase() === text.toLowerCase());
  if (!found) throw new InvalidArgumentError(`"${text}" is no ${what}; there are ${known.join(', ')}.`);
  return found;
}
