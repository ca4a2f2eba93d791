import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createBuilderThread } from './builder-thread.ts';
import { readSnapshotVersion } from './snapshot.ts';
import { rowSource } from './testing/rows.ts';

const rows = (version: number) => rowSource(version, [{ id: 0, label: 'Db', name: 'hub', from: null, to: null }], []);

it('a builder that made something large ends when it is idle, not before its snapshot is written, and comes back', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'faultline-builder-'));
  const place = { path: join(directory, 'snapshot'), teamId: 'team' };
  const idle = Promise.withResolvers<() => void>();
  const warnings: string[] = [];
  const builder = createBuilderThread(
    { warn: (_, message) => warnings.push(message) },
    {
      largeBytes: 0,
      runLater: (_, run) => {
        idle.resolve(run);
        return () => undefined;
      },
    },
  );
  try {
    expect(await builder.build(rows(4), place)).toMatchObject({ version: 4, nodeCount: 1 });
    const end = await idle.promise;
    expect(readSnapshotVersion(place.path, place.teamId)).toBe(4);
    end();
    expect(await builder.build(rows(5), undefined)).toMatchObject({ version: 5 });
    expect(await builder.readSnapshot(place)).toMatchObject({ version: 4 });
    expect(warnings).toEqual([]);
  } finally {
    await builder.close();
    rmSync(directory, { recursive: true });
  }
}, 60_000);
