import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createReadModel, type LoadSource, type ReadModel } from './read-model.ts';
import { DEFAULT_REBUILD_POLICY } from './rebuild.ts';
import { readSnapshotVersion, snapshotPath } from './snapshot.ts';
import { rowSource } from './testing/rows.ts';

const log = { info() {}, warn() {} };
const HUB = { label: 'Db', name: 'hub' };

/** `count` apps that all depend on one database. */
function star(count: number, version = 1): LoadSource {
  const nodes = Array.from({ length: count }, (_, i) => node(i + 1, 'App', `app-${String(i).padStart(7, '0')}`));
  const relationships = nodes.map(({ id }) => ({ id: id - 1, source: id, target: 0, facts: [] }));
  return {
    epoch: '',
    version,
    changesSince: async () => undefined,
    rows: async () => rowSource(version, [node(0, HUB.label, HUB.name), ...nodes], relationships),
  };
}

function node(id: number, label: string, name: string) {
  return { id, label, name, from: null, to: null };
}

let model: ReadModel;
let snapshotDir: string;
let team: string;

beforeAll(() => {
  snapshotDir = mkdtempSync(join(tmpdir(), 'faultline-model-'));
  model = createReadModel({ threads: 2, snapshotDir, memoryBudgetBytes: 2 ** 30, log });
});
beforeEach(() => {
  team = randomUUID();
});
afterAll(async () => {
  await model.close();
  rmSync(snapshotDir, { recursive: true });
});

// Threads start slowly on a busy machine.
const PATIENT = { timeout: 60_000 };

describe('the read model', PATIENT, () => {
  it('loads rows and answers', async () => {
    expect(await model.load(team, star(3))).toBe(1);
    const counted = await model.query(team, { kind: 'impactedCount', ...HUB });
    expect(counted).toMatchObject({ version: 1, isFound: true, value: { count: 3 } });
    const unknown = await model.query(team, { kind: 'impactedCount', label: 'Db', name: 'nobody' });
    expect(unknown).toMatchObject({ isFound: false });
  });

  it('shows a change to every question asked after it, on every thread', async () => {
    await model.load(team, star(3));
    const prepared = await model.prepare(team, { mode: 'add', firstLine: 1, ndjson: lines('late') });
    const before = await model.query(team, { kind: 'impactedCount', ...HUB });
    expect(before.value).toEqual({ count: 3 });
    expect(model.apply(team, prepared.payload ?? new Uint8Array())).toBe('applied');
    const answers = await Promise.all([1, 2, 3, 4].map(() => model.query(team, { kind: 'impactedCount', ...HUB })));
    expect(answers.map(({ version, value }) => [version, value])).toEqual([1, 2, 3, 4].map(() => [2, { count: 4 }]));
  });

  it('tells an old change from a missing one', async () => {
    await model.load(team, star(3));
    const first = await model.prepare(team, { mode: 'add', firstLine: 1, ndjson: lines('x') });
    const second = await model.prepare(team, { mode: 'add', firstLine: 1, ndjson: lines('y') });
    expect(second).toMatchObject({ basedOn: 2, version: 3 });
    expect(model.apply(team, second.payload ?? new Uint8Array())).toBe('gap');
    expect(model.apply(team, first.payload ?? new Uint8Array())).toBe('applied');
    expect(model.apply(team, first.payload ?? new Uint8Array())).toBe('old');
    expect(model.apply(team, second.payload ?? new Uint8Array())).toBe('applied');
    expect(model.apply(randomUUID(), second.payload ?? new Uint8Array())).toBe('not_loaded');
  });

  it('rebuilds in the background, keeps what came meanwhile, and starts again from the snapshot', async () => {
    await model.load(team, star(3));
    await write('x');
    const rebuilt = model.rebuild(team);
    const during = await write('y');
    await rebuilt;
    const answer = await model.query(team, { kind: 'impactedCount', ...HUB });
    expect(answer).toMatchObject({ version: 3, value: { count: 5 } });
    model.evict(team);
    expect(readSnapshotVersion(snapshotPath(snapshotDir, team), `${team} `)).toBeGreaterThanOrEqual(2);
    const version = await model.load(team, {
      epoch: '',
      version: 3,
      changesSince: async (since) => (since === 2 ? [during] : []),
      rows: () => Promise.reject(new Error('rows are not needed')),
    });
    expect(version).toBe(3);
    const again = await model.query(team, { kind: 'impactedCount', ...HUB });
    expect(again).toMatchObject({ version: 3, value: { count: 5 } });
  });

  it('rebuilds when changes have stopped coming, and not while they come', async () => {
    const later: Array<{ run: () => void; isCanceled: boolean }> = [];
    const rebuildPolicy = { ...DEFAULT_REBUILD_POLICY, minIdleChanges: 3 };
    const runLater = (_: number, run: () => void) => {
      const entry = { run, isCanceled: false };
      later.push(entry);
      return () => {
        entry.isCanceled = true;
      };
    };
    const idle = createReadModel({ threads: 1, memoryBudgetBytes: 2 ** 30, log, rebuildPolicy, runLater });
    try {
      await idle.load(team, star(0));
      for (const name of ['x', 'y', 'z']) {
        const { payload } = await idle.prepare(team, { mode: 'add', firstLine: 1, ndjson: lines(name) });
        idle.apply(team, payload ?? new Uint8Array());
      }
      expect(later.map(({ isCanceled }) => isCanceled)).toEqual([true, false]);
      expect(idle.stats().teams).toMatchObject([{ nodes: 1 }]);
      later.at(-1)?.run();
      await idle.rebuild(team);
      expect(idle.stats().teams).toMatchObject([{ nodes: 4, relationships: 3 }]);
    } finally {
      await idle.close();
    }
  });

  it('does not take the time in which a batch is being written for the end of a load', async () => {
    const later: Array<() => void> = [];
    const rebuildPolicy = { ...DEFAULT_REBUILD_POLICY, minIdleChanges: 1 };
    const runLater = (_: number, run: () => void) => {
      later.push(run);
      return () => undefined;
    };
    const loading = createReadModel({ threads: 1, memoryBudgetBytes: 2 ** 30, log, rebuildPolicy, runLater });
    try {
      await loading.load(team, star(0));
      const first = await loading.prepare(team, { mode: 'add', firstLine: 1, ndjson: lines('x') });
      const second = await loading.prepare(team, { mode: 'add', firstLine: 1, ndjson: lines('y') });
      loading.apply(team, first.payload ?? new Uint8Array());
      later.at(-1)?.();
      // It looks again later.
      expect(later).toHaveLength(2);
      expect(loading.stats().teams).toMatchObject([{ nodes: 1 }]);
      loading.apply(team, second.payload ?? new Uint8Array());
      later.at(-1)?.();
      await loading.rebuild(team);
      expect(loading.stats().teams).toMatchObject([{ nodes: 3, relationships: 2 }]);
    } finally {
      await loading.close();
    }
  });

  it('lets changes lie on the base as long as nobody asks', async () => {
    const rebuildPolicy = { ...DEFAULT_REBUILD_POLICY, minChanges: 1, share: 0, maxChanges: 1000 };
    const unseen = createReadModel({ threads: 1, memoryBudgetBytes: 2 ** 30, log, rebuildPolicy });
    try {
      await unseen.load(team, star(0));
      const { payload } = await unseen.prepare(team, { mode: 'add', firstLine: 1, ndjson: lines('x') });
      unseen.apply(team, payload ?? new Uint8Array());
      expect(unseen.stats().teams).toMatchObject([{ nodes: 1 }]);
      expect((await unseen.query(team, { kind: 'impactedCount', ...HUB })).value).toEqual({ count: 1 });
      await unseen.rebuild(team);
      expect(unseen.stats().teams).toMatchObject([{ nodes: 2, relationships: 1 }]);
    } finally {
      await unseen.close();
    }
  });

  it('reads the rows when the change log does not reach back to the snapshot', async () => {
    await model.load(team, star(3));
    model.evict(team);
    expect(await model.load(team, star(7, 40))).toBe(40);
    expect((await model.query(team, { kind: 'impactedCount', ...HUB })).value).toEqual({ count: 7 });
  });

  it('lets the least recently used team leave under the budget', async () => {
    const other = randomUUID();
    const small = createReadModel({ threads: 1, memoryBudgetBytes: 1, log });
    try {
      await small.load(team, star(3));
      await small.load(other, star(4));
      expect([small.isLoaded(team), small.isLoaded(other)]).toEqual([false, true]);
      await expect(small.query(team, { kind: 'labels' })).rejects.toThrow('not in memory');
      await small.load(team, star(3));
      expect((await small.query(team, { kind: 'impactedCount', ...HUB })).value).toEqual({ count: 3 });
    } finally {
      await small.close();
    }
  });

  it('a change that cannot be applied takes the team out of memory, and it can be loaded again', async () => {
    await model.load(team, star(3));
    const { payload } = await model.prepare(team, { mode: 'add', firstLine: 1, ndjson: lines('x') });
    expect(model.apply(team, payload?.subarray(0, 8) ?? new Uint8Array())).toBe('applied');
    await expect(model.query(team, { kind: 'labels' })).rejects.toThrow('not in memory');
    expect(model.isLoaded(team)).toBe(false);
    expect(await model.load(team, star(3))).toBe(1);
  });

  it('answers as of the moment of the question, though a change arrives during its walk', async () => {
    // Large enough for a walk of several slices.
    await model.load(team, star(150_000));
    await write('first');
    const { payload } = await model.prepare(team, { mode: 'add', firstLine: 1, ndjson: lines('second') });
    const asked = [1, 2, 3, 4].map(() => model.query(team, { kind: 'impactedCount', ...HUB }));
    const streamed = model.stream(team, { kind: 'impactedAll', ...HUB, ts: 0, inactive: false });
    model.apply(team, payload ?? new Uint8Array());
    const after = model.query(team, { kind: 'impactedCount', ...HUB });
    for (const answer of await Promise.all(asked))
      expect(answer).toMatchObject({ version: 2, value: { count: 150_001 } });
    expect(await after).toMatchObject({ version: 3, value: { count: 150_002 } });
    const { version, chunks } = await streamed;
    let text = '';
    for await (const chunk of chunks) text += Buffer.from(chunk).toString('latin1');
    expect([version, text.split('"name"').length - 1, text.includes('second')]).toEqual([2, 150_001, false]);
    model.evict(team);
  });

  it('an error while rows are read reaches the caller', async () => {
    const source = star(3);
    const failing: LoadSource = {
      ...source,
      rows: async () => ({ ...(await source.rows()), relationships: failingPieces() }),
    };
    await expect(model.load(team, failing)).rejects.toThrow('connection lost');
    expect(await model.load(team, source)).toBe(1);
  });
});

describe('a streamed answer', PATIENT, () => {
  const everything = { kind: 'impactedAll', ...HUB, ts: 0, inactive: true } as const;

  it('is the same as the one in one piece, and stays at its version while changes come', async () => {
    await model.load(team, star(40_000));
    await write('app-first');
    const { bytes } = await model.query(team, everything);
    const answer = await model.stream(team, everything);
    const { payload } = await model.prepare(team, {
      mode: 'add',
      firstLine: 1,
      messages: [{ source: { label: 'App', name: 'app-0039999', props: { from: 7 } } }],
    });
    model.apply(team, payload ?? new Uint8Array());
    expect(await model.query(team, { kind: 'labels' })).toMatchObject({ version: 3 });
    const chunks: Uint8Array[] = [];
    for await (const chunk of answer.chunks) chunks.push(chunk);
    expect(answer).toMatchObject({ version: 2, isFound: true });
    expect(chunks.length).toBeGreaterThan(10);
    expect(Buffer.concat(chunks).equals(Buffer.from(bytes ?? []))).toBe(true);
  });

  it('ends when its reader leaves', async () => {
    await model.load(team, star(40_000));
    const answer = await model.stream(team, everything);
    for await (const _ of answer.chunks) break;
    expect(model.stats().queued).toEqual([0, 0]);
    expect((await model.query(team, { kind: 'impactedCount', ...HUB })).value).toEqual({ count: 40_000 });
  });

  it('ends when its reader leaves before it began to read', async () => {
    await model.load(team, star(40_000));
    const answer = await model.stream(team, everything);
    await answer.chunks[Symbol.asyncIterator]().return?.();
    expect(model.stats().queued).toEqual([0, 0]);
  });

  it('says that the node is unknown', async () => {
    await model.load(team, star(1));
    const answer = await model.stream(team, { ...everything, name: 'nobody' });
    expect(answer.isFound).toBe(false);
  });
});

async function write(name: string): Promise<Uint8Array> {
  const { payload } = await model.prepare(team, { mode: 'add', firstLine: 1, ndjson: lines(name) });
  model.apply(team, payload ?? new Uint8Array());
  return payload ?? new Uint8Array();
}

function lines(name: string): Uint8Array {
  return Buffer.from(`${JSON.stringify({ source: { label: 'App', name }, target: HUB })}\n`);
}

async function* failingPieces(): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(3);
  throw new Error('connection lost');
}
