import { labelFault, nameFault } from '../graph/message.ts';

export type Measurement = { label: string; name: string; check: string; ts: number; value: number };

/** Reads one measurement, or answers the sentence that says what is wrong with it. `oldest` and `newest` are unix seconds. */
export function parseMeasurement(given: unknown, oldest: number, newest: number): Measurement | string {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return 'a measurement must be a JSON object';
  const { label, name, check, ts, value } = given as Record<string, unknown>; // an object, see above
  const fault = labelFault(label, 'label') ?? nameFault(name, 'name') ?? nameFault(check, 'check');
  if (fault !== undefined) return fault;
  if (typeof ts !== 'number' || !Number.isFinite(ts)) return 'ts must be a time in unix seconds';
  if (ts < oldest) return `ts is older than measurements are kept; the oldest that is taken is ${oldest}`;
  if (ts > newest) return 'ts lies more than a day in the future; it must be in unix seconds';
  const number = typeof value === 'boolean' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return 'value must be a number, true or false';
  // What was looked at above: three texts.
  return { label: label as string, name: name as string, check: check as string, ts: Math.floor(ts), value: number };
}
