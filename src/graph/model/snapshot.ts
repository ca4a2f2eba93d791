import { closeSync, fdatasyncSync, mkdirSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Base } from './base.ts';
import { sharedF64, sharedU8, sharedU32 } from './shared-arrays.ts';

/**
 * One file per team:  magic | length of header | header (JSON) | crc of header | arrays, each at a multiple of 8
 *
 * The header names the format, the team, the version and every array with its place, length and checksum, so that
 * loading is reading into shared memory and comparing checksums. Numbers are in the machine's own byte order, which
 * the magic number tells: a file from another machine does not begin with ours.
 */
const MAGIC = 0x464c5453;
const FORMAT = 1;
const MAX_HEADER_BYTES = 64 * 1024 * 1024;

const U8_ARRAYS = ['names', 'nodeFlags', 'saidApart'] as const;
const F64_ARRAYS = ['wideNodeTimes', 'sideFacts', 'sidePeriods'] as const;
const U32_ARRAYS = [
  'nameStart',
  'nodeLabel',
  'nodeFrom',
  'nodeTo',
  'rank',
  'idByRank',
  'labelStart',
  'labelNodes',
  'nameTable',
  'outStart',
  'outNode',
  'outFrom',
  'outTo',
  'outId',
  'inStart',
  'inNode',
  'inFrom',
  'inTo',
  'inId',
  'sideIds',
  'sideFactsStart',
  'sidePeriodsStart',
] as const;

type ArrayName = (typeof U8_ARRAYS)[number] | (typeof F64_ARRAYS)[number] | (typeof U32_ARRAYS)[number];
type Scalars = Omit<Base, ArrayName>;
type Section = { name: string; offset: number; bytes: number; crc: number };
type Header = { format: number; teamId: string; scalars: Scalars; sections: Section[] };

export const NO_FILE = 'no file';

type SnapshotRead = { base: Base } | { base: undefined; reason: string };

export function snapshotPath(directory: string, teamId: string): string {
  return join(directory, `${teamId}.graph`);
}

/** Written beside its place and renamed, so that a reader sees the old file or the whole new one. */
export function writeSnapshot(path: string, teamId: string, base: Base): void {
  mkdirSync(dirname(path), { recursive: true });
  const arrays = arraysOf(base);
  const sections: Section[] = [];
  let offset = 0;
  for (const [name, array] of arrays) {
    const bytes = bytesOf(array);
    sections.push({ name, offset, bytes: bytes.length, crc: crc32(bytes) });
    offset += align(bytes.length);
  }
  const { version, nextNodeId, nextRelationshipId, nodeCount, relationshipCount, labels } = base;
  const scalars = { version, nextNodeId, nextRelationshipId, nodeCount, relationshipCount, labels };
  const header = Buffer.from(JSON.stringify({ format: FORMAT, teamId, scalars, sections } satisfies Header));
  const temporary = `${path}.${process.pid}.tmp`;
  const file = openSync(temporary, 'w');
  try {
    writeAll(file, prefixOf(header));
    for (const [, array] of arrays) {
      const bytes = bytesOf(array);
      writeAll(file, bytes);
      writeAll(file, Buffer.alloc(align(bytes.length) - bytes.length));
    }
    fdatasyncSync(file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
}

/** The version a snapshot holds, without reading it whole; undefined when there is none to use. */
export function readSnapshotVersion(path: string, teamId: string): number | undefined {
  const read = withFile(path, (file) => readHeader(file, teamId).header?.scalars.version);
  return typeof read === 'number' ? read : undefined;
}

/** A damaged, truncated or foreign file is not an error: the rows are the truth, and they are read instead. */
export function readSnapshot(path: string, teamId: string): SnapshotRead {
  const read = withFile(path, (file): SnapshotRead => {
    const { header, start, reason } = readHeader(file, teamId);
    if (!header) return { base: undefined, reason };
    const arrays = new Map<string, Uint8Array | Uint32Array | Float64Array>();
    for (const section of header.sections) {
      const array = makeArray(section);
      if (!array) return { base: undefined, reason: `unknown array ${section.name}` };
      const bytes = bytesOf(array);
      if (!readAll(file, bytes, start + section.offset)) return { base: undefined, reason: 'truncated' };
      if (crc32(bytes) !== section.crc) return { base: undefined, reason: `checksum of ${section.name} is wrong` };
      arrays.set(section.name, array);
    }
    return assemble(header.scalars, arrays);
  });
  return read ?? { base: undefined, reason: NO_FILE };
}

function readHeader(file: number, teamId: string): { header: Header | undefined; start: number; reason: string } {
  const prefix = new Uint32Array(4);
  if (!readAll(file, bytesOf(prefix), 0)) return refuse('truncated');
  const [magic, format, length, crc] = prefix;
  if (magic !== MAGIC || format !== FORMAT) return refuse('another format');
  if (length > MAX_HEADER_BYTES) return refuse('damaged header');
  const bytes = Buffer.alloc(length);
  if (!readAll(file, bytes, 16)) return refuse('truncated');
  if (crc32(bytes) !== crc) return refuse('damaged header');
  // Its checksum is right, so it is what writeSnapshot wrote.
  // oxlint-disable-next-line no-unsafe-type-assertion
  const header = JSON.parse(bytes.toString()) as Header;
  if (header.teamId !== teamId) return refuse('belongs to another team');
  return { header, start: align(16 + length), reason: '' };
}

function prefixOf(header: Buffer): Buffer {
  const prefix = Buffer.alloc(align(16 + header.length));
  new Uint8Array(prefix.buffer, prefix.byteOffset).set(
    bytesOf(Uint32Array.of(MAGIC, FORMAT, header.length, crc32(header))),
  );
  header.copy(prefix, 16);
  return prefix;
}

function makeArray({ name, bytes }: Section): Uint8Array | Uint32Array | Float64Array | undefined {
  if (U8_ARRAYS.some((known) => known === name)) return sharedU8(bytes);
  if (F64_ARRAYS.some((known) => known === name)) return sharedF64(bytes / 8);
  if (U32_ARRAYS.some((known) => known === name)) return sharedU32(bytes / 4);
  return undefined;
}

function arraysOf(base: Base): Array<[ArrayName, Uint8Array | Uint32Array | Float64Array]> {
  return [...U8_ARRAYS, ...U32_ARRAYS, ...F64_ARRAYS].map((name) => [name, base[name]]);
}

function assemble(scalars: Scalars, arrays: Map<string, Uint8Array | Uint32Array | Float64Array>): SnapshotRead {
  for (const name of [...U8_ARRAYS, ...U32_ARRAYS, ...F64_ARRAYS])
    if (!arrays.has(name)) return { base: undefined, reason: `array ${name} is missing` };
  // Every array of the type is there, each made with the element type of its list.
  // oxlint-disable-next-line no-unsafe-type-assertion
  return { base: { ...scalars, ...Object.fromEntries(arrays) } as Base };
}

function bytesOf(array: Uint8Array | Uint32Array | Float64Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
}

function align(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}

function refuse(reason: string): { header: undefined; start: number; reason: string } {
  return { header: undefined, start: 0, reason };
}

/** One call moves at most this much: beyond 2 GiB the system call itself stops. */
const PIECE_BYTES = 256 * 1024 * 1024;

function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, Math.min(PIECE_BYTES, bytes.length - at));
}

function readAll(file: number, bytes: Uint8Array, position: number): boolean {
  for (let at = 0; at < bytes.length; ) {
    const count = readSync(file, bytes, at, Math.min(PIECE_BYTES, bytes.length - at), position + at);
    if (count === 0) return false;
    at += count;
  }
  return true;
}

function withFile<Result>(path: string, use: (file: number) => Result): Result | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch {
    return undefined;
  }
  try {
    return use(file);
  } finally {
    closeSync(file);
  }
}
