import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { StartupError } from '../errors.ts';
import { parseTime } from './arguments.ts';
import { type Status, statuses } from './workflow-answers.ts';

const unitSeconds: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** `90m`, `12h`, `30d` or `2w` ago, unix seconds, a date, or a time, as ISO 8601. */
export function parseMoment(text: string, nowMs: number): string {
  const [, count, unit = ''] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  if (count === undefined) return new Date(parseTime(text) * 1000).toISOString();
  return new Date(nowMs - Number(count) * (unitSeconds[unit] ?? 0) * 1000).toISOString();
}

export function parseStatus(text: string): Status {
  const wanted = text.toLowerCase() === 'running' ? 'progress' : text.toLowerCase();
  const found = statuses.find((status) => status === wanted);
  if (!found) throw new InvalidArgumentError(`"${text}" is no status; there are ${statuses.join(', ')}.`);
  return found;
}

/** `shop.ORDER`: the project ends at the first dot. */
export function parseFullname(text: string): { project: string; name: string } {
  const at = text.indexOf('.');
  if (at < 1 || at === text.length - 1)
    throw new InvalidArgumentError('Give it as PROJECT.NAME, such as shop.ORDER; "faultline workflow definitions" lists them.'); // biome-ignore format: one line
  return { project: text.slice(0, at), name: text.slice(at + 1) };
}

export type Parameter = { key: string; value: unknown };

/** `total=3` is a number, `id=A-7` is text, `'id="7"'` is text too: what reads as JSON is JSON. Collects what is given several times. */
export function parseParameters(text: string, former: Parameter[] = []): Parameter[] {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Give it as KEY=VALUE, such as id=A-7 or total=3.');
  return [...former, { key: text.slice(0, at), value: jsonOrText(text.slice(at + 1)) }];
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The whole payload: what was given as JSON, with the single parameters over it. `source` says where the text is from. */
export function payloadOf(
  given: { text: string; source: string } | undefined,
  parameters: Parameter[],
): Record<string, unknown> {
  const base = given === undefined ? {} : parseObject(given.text, given.source);
  return Object.fromEntries([...Object.entries(base), ...parameters.map(({ key, value }) => [key, value] as const)]);
}

function parseObject(text: string, source: string): Record<string, unknown> {
  try {
    const parsed = z.record(z.string(), z.unknown()).safeParse(JSON.parse(text));
    if (parsed.success) return parsed.data;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartupError(`The payload from ${source} is not JSON: ${reason}.`);
  }
  throw new StartupError(`The payload from ${source} is JSON, but not an object such as {"id": 7}.`);
}
