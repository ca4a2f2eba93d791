import { isUtf8 } from 'node:buffer';
import type { Clock } from '../clock.ts';
import type { LineBatch } from '../graph/line-batches.ts';
import type { Actor } from '../identity/access.ts';
import type { MetricSourcesService } from '../platform/integrations/metric-sources.service.ts';
import type { ChecksStore } from './checks.store.ts';
import { parseMeasurement } from './measurement.ts';
import type { MeasurementRow, MeasurementsStore } from './measurements.store.ts';

export type MeasurementsService = ReturnType<typeof createMeasurementsService>;
export type MeasurementsResult = {
  accepted: number;
  rejected: number;
  errors: Array<{ line: number; message: string }>;
};

const maxErrors = 100;
const daySeconds = 86_400;
const sweepPortion = 5000;

/** By id and by name: the check's id, or why it takes no measurements. */
type PushChecks = Map<string, { id: string } | { refused: string }>;

/** Measurements that programs post, kept in our own database for some days. */
export function createMeasurementsService(deps: {
  store: MeasurementsStore;
  checks: Pick<ChecksStore, 'list'>;
  metricSources: Pick<MetricSourcesService, 'list'>;
  keepDays: number;
  clock: Clock;
}) {
  const { store } = deps;
  const now = (): number => Math.floor(deps.clock() / 1000);

  async function loadChecks(teamId: string): Promise<PushChecks> {
    const [checks, sources] = await Promise.all([deps.checks.list(teamId), deps.metricSources.list(teamId)]);
    const pushed = new Set(sources.filter(({ protocol }) => protocol === 'push').map(({ id }) => id));
    const known = checks.map(({ id, name, source_id }) => {
      const refused = `measurements of the check "${name}" are fetched from its source, not posted`;
      return { id, name, entry: pushed.has(source_id) ? { id } : { refused } };
    });
    return new Map([
      ...known.map(({ name, entry }) => [name, entry] as const),
      ...known.map(({ id, entry }) => [id, entry] as const),
    ]);
  }

  /** What of a batch can be written, the last of several with the same key, and what is wrong with the rest. */
  function readBatch(batch: LineBatch, checks: PushChecks) {
    const oldest = now() - deps.keepDays * daySeconds;
    const newest = now() + daySeconds;
    const rows = new Map<string, MeasurementRow>();
    const errors: MeasurementsResult['errors'] = [];
    let accepted = 0;
    const isBroken = !isUtf8(batch.bytes);
    for (const [index, text] of Buffer.from(batch.bytes).toString().split('\n').entries()) {
      if (text.trim() === '') continue;
      const read = readLine(text, isBroken, checks, oldest, newest);
      if (typeof read === 'string') errors.push({ line: batch.firstLine + index, message: read });
      else {
        accepted++;
        rows.set(`${read.checkId} ${read.label} ${read.ts} ${read.name}`, read);
      }
    }
    return { rows: [...rows.values()], accepted, errors };
  }

  return {
    /** All measurements of one request, batch by batch. One bad line loses no good line; sending all of them again is harmless. */
    async ingest(teamId: string, batches: AsyncIterable<LineBatch>, actor: Actor): Promise<MeasurementsResult> {
      const result: MeasurementsResult = { accepted: 0, rejected: 0, errors: [] };
      let checks = await loadChecks(teamId);
      for await (const batch of batches) {
        let read = readBatch(batch, checks);
        while (read.rows.length > 0 && (await store.write(teamId, read.rows, actor)) === 'gone') {
          checks = await loadChecks(teamId);
          read = readBatch(batch, checks);
        }
        result.accepted += read.accepted;
        result.rejected += read.errors.length;
        result.errors.push(...read.errors.slice(0, maxErrors - result.errors.length));
      }
      return result;
    },

    /** Deletes what is too old, portion by portion, so that nobody waits long. */
    async sweep(): Promise<number> {
      const before = now() - deps.keepDays * daySeconds;
      for (let all = 0; ; ) {
        const count = await store.deleteBefore(before, sweepPortion);
        all += count;
        if (count < sweepPortion) return all;
      }
    },
  };
}

function readLine(
  text: string,
  isBroken: boolean,
  checks: PushChecks,
  oldest: number,
  newest: number,
): MeasurementRow | string {
  // Where bytes are no text, this stands in their place.
  if (isBroken && text.includes('\ufffd')) return 'the line is not UTF-8';
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return 'the line is not JSON';
  }
  const read = parseMeasurement(given, oldest, newest);
  if (typeof read === 'string') return read;
  const { check, ...rest } = read;
  const found = checks.get(check);
  if (!found) return `there is no check "${check}"`;
  return 'refused' in found ? found.refused : { checkId: found.id, ...rest };
}
