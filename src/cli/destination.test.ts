import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { afterAll, expect, test } from 'vitest';
import { StartupError } from '../errors.ts';
import { writeDestination } from './destination.ts';

const directory = mkdtempSync(join(tmpdir(), 'faultline-test-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const produce = (text: string) => async (sink: Writable) => void sink.end(text);
const failing = async (sink: Writable) => {
  sink.write('half');
  throw new StartupError('the database went away');
};

test('a complete file replaces the former one and is for its owner only', async () => {
  const file = join(directory, 'replaced');
  writeFileSync(file, 'former', { mode: 0o644 });
  expect(await writeDestination(file, produce('newer'))).toBe(5);
  expect(readFileSync(file, 'utf8')).toBe('newer');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('a failure in the middle leaves the former file, and nothing beside it', async () => {
  const file = join(directory, 'kept');
  writeFileSync(file, 'former');
  await expect(writeDestination(file, failing)).rejects.toThrow('the database went away');
  expect(readFileSync(file, 'utf8')).toBe('former');
  expect(readdirSync(directory).filter((name) => name.endsWith('.part'))).toEqual([]);
});

test('a device is written, not replaced', async () => {
  expect(await writeDestination('/dev/null', produce('gone'))).toBe(4);
  expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
});

test.each([join(directory, 'no', 'file'), directory])('a place that cannot be written is named', async (file) => {
  await expect(writeDestination(file, produce('x'))).rejects.toThrow(StartupError);
  await expect(writeDestination(file, produce('x'))).rejects.toThrow(/cannot be written \(E(NOENT|ISDIR)\)/);
});
