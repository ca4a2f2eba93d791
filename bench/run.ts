/**
 * `npm run bench`             all areas
 * `npm run bench -- http`     one area
 * `npm run bench -- --quick`  short runs, to see that everything works; the figures are worth little and are not written down
 * `npm run bench -- --large`  also what takes minutes and gigabytes more
 * `npm run bench -- graph --case "bare route"`  only cases with this in their name; not written down either
 *
 * An area is a folder here; its `*.bench.ts` files export `cases`, and `close` if they share something that outlives a case. Exit code 1 if a target is missed.
 */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import type { BenchCase, RowResult } from './harness/case.ts';
import { describeMachine } from './harness/machine.ts';
import { measureCase } from './harness/measure.ts';
import { toTable } from './harness/table.ts';

type BenchModule = { cases: BenchCase[]; close?: () => Promise<void> };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean' }, large: { type: 'boolean' }, case: { type: 'string' } },
});
const { quick: isQuick = false, large: isLarge = false, case: nameContains = '' } = values;
const known = await listAreas();
const chosen = positionals.length > 0 ? positionals : known;
const unknown = chosen.filter((area) => !known.includes(area));
if (unknown.length > 0) {
  process.stderr.write(`There is no area "${unknown.join(', ')}"; there is ${known.join(', ')}.\n`);
  process.exit(2);
}
let isEveryTargetMet = true;
for (const area of chosen) {
  const results = await runArea(area);
  if (results.some((row) => !row.isMet)) isEveryTargetMet = false;
}
process.exit(isEveryTargetMet ? 0 : 1);

async function runArea(area: string): Promise<RowResult[]> {
  const machine = describeMachine();
  const rows: RowResult[] = [];
  const versions: Record<string, string> = {};
  const modules = await loadModules(area);
  try {
    const cases = modules.flatMap(({ cases }) => cases).filter(({ name }) => name.includes(nameContains));
    for (const benchCase of cases) {
      const measured = await measureCase(benchCase, {
        isQuick,
        isLarge,
        onRound: (round, rounds) => process.stderr.write(`${area}: ${benchCase.name}, round ${round} of ${rounds}\n`),
      });
      rows.push(...measured.rows);
      process.stderr.write(`${toTable(measured.rows)}\n\n`);
      Object.assign(versions, measured.versions);
    }
  } finally {
    for (const { close } of modules) await close?.();
  }
  process.stdout.write(`\n${area}\n${toTable(rows)}\n`);
  if (!isQuick && nameContains === '')
    await writeResults(area, { date: new Date().toISOString(), machine, versions, rows });
  return rows;
}

async function writeResults(area: string, results: unknown): Promise<void> {
  const folder = new URL('results/', import.meta.url);
  await mkdir(folder, { recursive: true });
  await writeFile(new URL(`${area}.json`, folder), `${JSON.stringify(results, null, 2)}\n`);
}

async function listAreas(): Promise<string[]> {
  const files = await readdir(new URL('.', import.meta.url), { recursive: true });
  return [...new Set(files.flatMap((file) => /^([^/]+)\/[^/]+\.bench\.ts$/.exec(file)?.[1] ?? []))].toSorted();
}

async function loadModules(area: string): Promise<BenchModule[]> {
  const folder = new URL(`${area}/`, import.meta.url);
  const files = (await readdir(folder)).filter((file) => file.endsWith('.bench.ts')).toSorted();
  // Every such file exports `cases`: that is what makes it one.
  return Promise.all(files.map((file) => import(new URL(file, folder).href) as Promise<BenchModule>));
}
