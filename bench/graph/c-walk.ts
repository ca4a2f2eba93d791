import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Base } from '../../src/graph/model/base.ts';

/** The same two walks in C, over the same arrays: the limit of what the machine gives. */
const SOURCE = `
#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}
static uint32_t *load(FILE *file, size_t count) {
  uint32_t *values = malloc(count * 4 + 4);
  if (fread(values, 4, count, file) != count) exit(1);
  return values;
}
int main(int argc, char **argv) {
  FILE *file = fopen(argv[1], "rb");
  uint32_t size[2];
  if (!file || fread(size, 4, 2, file) != 2) return 1;
  size_t nodes = size[0], edges = size[1];
  uint32_t *start = load(file, nodes + 1), *node = load(file, edges), *from = load(file, edges), *to = load(file, edges);
  uint32_t *node_from = load(file, nodes), *node_to = load(file, nodes);
  uint32_t *queue = malloc(nodes * 4), ts = strtoul(argv[2], 0, 10);
  uint8_t *seen = calloc(nodes, 1), mark = 0;
  int rounds = atoi(argv[3]);
  for (int a = 4; a < argc; a++) {
    uint32_t root = strtoul(argv[a], 0, 10);
    for (int active = 0; active < 2; active++) {
      size_t head = 0, tail = 0;
      double best = 1e9;
      for (int round = 0; round < rounds; round++) {
        double began = now();
        if (++mark == 0) { memset(seen, 0, nodes); mark = 1; }
        head = 0;
        tail = 1;
        queue[0] = root;
        seen[root] = mark;
        if (!active) {
          while (head < tail) {
            uint32_t at = queue[head++];
            for (uint32_t i = start[at]; i < start[at + 1]; i++) {
              uint32_t next = node[i];
              if (seen[next] != mark) { seen[next] = mark; queue[tail++] = next; }
            }
          }
        } else if (node_from[root] <= ts && node_to[root] >= ts) {
          while (head < tail) {
            uint32_t at = queue[head++];
            for (uint32_t i = start[at]; i < start[at + 1]; i++) {
              uint32_t next = node[i];
              if (seen[next] != mark && from[i] <= ts && to[i] >= ts && node_from[next] <= ts && node_to[next] >= ts) {
                seen[next] = mark;
                queue[tail++] = next;
              }
            }
          }
        }
        double took = now() - began;
        if (took < best) best = took;
      }
      printf("%u %d %zu %.6f\\n", root, active, tail - 1, best);
    }
  }
  return 0;
}
`;

type CWalk = { root: number; isActive: boolean; count: number; milliseconds: number };

/** Undefined where no C compiler is installed. */
export function walkInC(base: Base, ts: number, rounds: number, roots: number[]): CWalk[] | undefined {
  const directory = mkdtempSync(join(tmpdir(), 'faultline-c-walk-'));
  try {
    writeFileSync(join(directory, 'walk.c'), SOURCE);
    try {
      execFileSync('cc', ['-O3', '-march=native', '-o', join(directory, 'walk'), join(directory, 'walk.c')]);
    } catch {
      return undefined;
    }
    const data = join(directory, 'graph.bin');
    const file = openSync(data, 'w');
    const arrays = [base.inStart, base.inNode, base.inFrom, base.inTo, base.nodeFrom, base.nodeTo];
    for (const array of [Uint32Array.of(base.nextNodeId, base.inNode.length), ...arrays]) {
      const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, Math.min(2 ** 28, bytes.length - at));
    }
    closeSync(file);
    const output = execFileSync(join(directory, 'walk'), [data, String(ts), String(rounds), ...roots.map(String)]);
    return output
      .toString()
      .trim()
      .split('\n')
      .map((line) => line.split(' ').map(Number))
      .map(([root, active, count, milliseconds]) => ({ root, isActive: active === 1, count, milliseconds }));
  } finally {
    rmSync(directory, { recursive: true });
  }
}
