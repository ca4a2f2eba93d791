import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { reportBody as reportSchema } from '../worker.schemas.ts';
import { createOutbox, type Entry, reportBody } from './outbox.ts';

const limit = 2000;
const uuid = fc.uuid({ version: 4 });
const step = fc.oneof(
  fc.record({ kind: fc.constant('complete' as const), id: uuid, result: fc.json({ maxDepth: 2 }) }),
  fc.record({ kind: fc.constant('fail' as const), id: uuid, message: fc.string({ maxLength: 300 }) }),
  fc.record({ kind: fc.constant('release' as const), id: uuid }),
  fc.record({
    kind: fc.constant('log' as const),
    id: uuid,
    lines: fc.array(fc.string({ maxLength: 80 }), { maxLength: 40 }),
  }),
);

function drain(outbox: ReturnType<typeof createOutbox>): Entry[][] {
  const batches: Entry[][] = [];
  while (outbox.hasResults() || outbox.hasLogs()) batches.push(outbox.take());
  return batches;
}

describe('outbox', () => {
  test('all that was put in comes out once, in order, in bodies that the schema takes and that are small enough', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const outbox = createOutbox(limit);
        for (const one of steps) {
          const ref = { id: one.id, attempt: 1 };
          if (one.kind === 'complete') outbox.complete(ref, one.result);
          else if (one.kind === 'fail') outbox.fail(ref, { message: one.message }, true);
          else if (one.kind === 'release') outbox.release(ref);
          else outbox.addLogs(ref, one.lines);
        }
        const batches = drain(outbox);
        const bodies = batches.map((batch) => reportBody('"worker":"w"', batch, [], 5));
        const reports = bodies.map((body) => reportSchema.parse(JSON.parse(body)));
        expect(bodies.filter((body) => Buffer.byteLength(body) > limit + 500)).toEqual([]);
        const results = batches.flat().filter((entry) => entry.kind !== 'logs');
        expect(results.map((entry) => entry.id)).toEqual(steps.filter((s) => s.kind !== 'log').map((s) => s.id));
        expect(reports.flatMap((report) => report.logs).flatMap((log) => log.lines)).toEqual(
          steps.flatMap((s) => (s.kind === 'log' ? s.lines : [])),
        );
      }),
    );
  });

  test('no result leaves before the log lines that came before it', () => {
    const outbox = createOutbox(limit);
    const ref = { id: crypto.randomUUID(), attempt: 1 };
    outbox.addLogs(
      ref,
      Array.from({ length: 100 }, (_, n) => `line ${n} ${'x'.repeat(50)}`),
    );
    outbox.complete(ref, '1');
    const kinds = drain(outbox).map((batch) => new Set(batch.map((entry) => entry.kind)));
    expect(kinds.findIndex((set) => set.has('completed'))).toBe(kinds.length - 1);
    expect(kinds.length).toBeGreaterThan(2);
  });

  test('what was refused together goes one by one', () => {
    const outbox = createOutbox(limit);
    for (const n of [1, 2, 3]) outbox.complete({ id: crypto.randomUUID(), attempt: n }, 'null');
    const all = outbox.take();
    outbox.sendSingly(all);
    expect(drain(outbox).map((batch) => batch.length)).toEqual([1, 1, 1]);
  });
});
