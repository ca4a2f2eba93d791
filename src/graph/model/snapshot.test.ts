import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readSnapshot, readSnapshotVersion, snapshotPath, writeSnapshot } from './snapshot.ts';
import { TEAM_ID, TeamModel } from './testing/team-model.ts';

let directory: string;
let path: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'faultline-snapshot-'));
  path = snapshotPath(directory, TEAM_ID);
});
beforeEach(() => {
  const model = new TeamModel();
  model.write('add', [
    { source: { label: 'App', name: 'shop' }, target: { label: 'Db', name: 'main' }, rel: { from: 5 } },
  ]);
  model.rebuild();
  writeSnapshot(path, TEAM_ID, model.graph.base);
});
afterAll(() => rmSync(directory, { recursive: true }));

describe('a snapshot', () => {
  it('is read back with its version, into shared memory', () => {
    const { base } = readSnapshot(path, TEAM_ID);
    expect(base).toMatchObject({ version: 1, nodeCount: 2, relationshipCount: 1, labels: ['App', 'Db'] });
    expect(base?.inNode.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(readSnapshotVersion(path, TEAM_ID)).toBe(1);
  });

  it('that is missing, of another team, or cut short is not used', () => {
    expect(readSnapshot(join(directory, 'none'), TEAM_ID)).toEqual({ base: undefined, reason: 'no file' });
    expect(readSnapshot(path, 'another')).toEqual({ base: undefined, reason: 'belongs to another team' });
    const size = readFileSync(path).length;
    for (const length of [size - 64, 40, 10, 0]) {
      truncateSync(path, length);
      expect(readSnapshot(path, TEAM_ID)).toEqual({ base: undefined, reason: 'truncated' });
    }
  });

  it('with any byte of its data or header changed is not used', () => {
    const whole = readFileSync(path);
    const { base } = readSnapshot(path, TEAM_ID);
    const believed: number[] = [];
    for (let at = 0; at < whole.length; at += 5) {
      const damaged = Buffer.from(whole);
      damaged[at] ^= 0x10;
      writeFileSync(path, damaged);
      const read = readSnapshot(path, TEAM_ID);
      // Between the arrays is padding, which means nothing.
      if (read.base && !isDeepStrictEqual(read.base, base)) believed.push(at);
    }
    expect(believed).toEqual([]);
  });
});
