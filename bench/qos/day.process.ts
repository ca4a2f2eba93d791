/** `day.process.ts SNAPSHOT`: computes a day, and prints what the process took more than before it, at most. */
import { readFileSync, writeFileSync } from 'node:fs';
import { readSnapshot } from '../../src/graph/model/snapshot.ts';
import { computeDay } from './compute-day.ts';
import { makeLeafDays } from './leaf-days.ts';

const { base } = readSnapshot(process.argv[2], 'bench');
if (!base) throw new Error('there is no graph');
const leafDays = makeLeafDays(1000);
globalThis.gc?.();
// The kernel forgets how large the process was before.
writeFileSync('/proc/self/clear_refs', '5');
const before = process.memoryUsage.rss();
const stored = computeDay(base, leafDays);
const most = Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024;
const kept = stored.bytes();
process.stdout.write(JSON.stringify({ peak: (most - before - kept) / 1e6, kept: kept / 1e6 }));
