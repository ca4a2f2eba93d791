import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Base } from '../../src/graph/model/base.ts';
import { writeSnapshot } from '../../src/graph/model/snapshot.ts';
import type { Figures } from '../harness/case.ts';

/** Megabytes of a day, in a process that does nothing else. It has its graph from a snapshot: making one would leave a large heap behind. */
export async function measureDayProcess(base: Base): Promise<Figures> {
  const directory = await mkdtemp(join(tmpdir(), 'faultline-bench-'));
  try {
    const path = join(directory, 'snapshot');
    writeSnapshot(path, 'bench', base);
    const script = fileURLToPath(new URL('day.process.ts', import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', script, path]);
    return JSON.parse(stdout) as Figures; // what the script prints
  } finally {
    await rm(directory, { recursive: true });
  }
}
