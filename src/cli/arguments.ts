import { InvalidArgumentError } from 'commander';
import { type Role, roles, type Scope, scopes } from '../identity/access.ts';

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

function oneOf<T extends string>(known: readonly T[], text: string, what: string): T {
  const found = known.find((name) => name.toLowerCase() === text.toLowerCase());
  if (!found) throw new InvalidArgumentError(`"${text}" is no ${what}; there are ${known.join(', ')}.`);
  return found;
}
