import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { findTaskExports } from './task-exports.ts';

const names = (text: string): string[] => findTaskExports(text).map(({ name }) => name);

test.each<[string, string[]]>([
  ['export function A() {}', ['A']],
  ['export async function B(context: Task): Promise<void> {}', ['B']],
  ['export function* G() {}', ['G']],
  ['export const C = async () => {};', ['C']],
  ['export const D: Task = () => 1;\nexport let E = D;', ['D', 'E']],
  ['function a() {}\nconst b = 1;\nexport { a, b as C };', ['a', 'C']],
  ['export { a as \'graph.load\', b as "other" };', ['graph.load', 'other']],
  ["export { X } from './x.ts';", ['X']],
  ['export { /* one */ a, // two\n b as B,\n};', ['a', 'B']],
  ['export type T = 1; export interface I {} export { type U, v };', ['v']],
  ['export default function F() {}', []],
  ["export * from './x.ts';", []],
  ['export class K {}', []],
  ['// export function A() {}\n/* export function B() {} */', []],
  ['const t = "export function A() {}"; const u = \'export const B\';', []],
  [
    'const t = `export function A() {} ${`export const B ${{ a: 1 }.a}`} export const C`;\nexport function D() {}',
    ['D'],
  ],
  ['const r = /[/"`]export function A/;\nexport function B() {}', ['B']],
  ['const half = total / 2; const q = "/"; export function C() {}', ['C']],
  ['declare module "x" { export function A(): void; }\nexport function B() {}', ['B']],
  ['const o = { export: 1 }; o.export\n; export const Z = 1', ['Z']],
  ['export async function ÉTÉ() {}', ['ÉTÉ']],
])('%j exports %j', (text, expected) => {
  expect(names(text)).toEqual(expected);
});

test('the offset is that of the name', () => {
  const text = 'const x = 1;\nexport { x as FIRST };\nexport function SECOND() {}';
  for (const { name, offset } of findTaskExports(text)) expect(text.slice(offset, offset + name.length)).toBe(name);
});

test.each(['etl.ts', 'shop.ts', 'task.ts'])(
  'what is read in the example %s is what Node sees when it runs it',
  async (file) => {
    const url = new URL(`../../../examples/home/tasks/${file}`, import.meta.url);
    const exported: object = await import(url.href);
    expect(names(await readFile(url, 'utf8')).toSorted()).toEqual(Object.keys(exported).toSorted());
  },
);
