import { execFile } from 'node:child_process';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Base } from '../../src/graph/model/base.ts';

const run = promisify(execFile);

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

/** Milliseconds of processor time, the best of the rounds. */
type CWalk = { impacted: number; milliseconds: number };

export type CPeer = {
  walk(root: number, ts: number, rounds: number): Promise<{ all: CWalk; active: CWalk }>;
  close(): Promise<void>;
};

/** Undefined where no C compiler is installed. */
export async function compileCPeer(base: Base): Promise<CPeer | undefined> {
  const directory = await mkdtemp(join(tmpdir(), 'faultline-c-walk-'));
  const [source, program, data] = ['walk.c', 'walk', 'graph.bin'].map((name) => join(directory, name));
  const close = () => rm(directory, { recursive: true, force: true });
  await writeFile(source, SOURCE);
  try {
    await run('cc', ['-O3', '-march=native', '-o', program, source]);
  } catch {
    await close();
    return undefined;
  }
  await writeArrays(data, base);
  return {
    async walk(root, ts, rounds) {
      const { stdout } = await run(program, [data, String(ts), String(rounds), String(root)]);
      const [all, active] = stdout
        .trim()
        .split('\n')
        .map((line) => line.split(' ').map(Number))
        .map(([, , impacted, milliseconds]) => ({ impacted, milliseconds }));
      return { all, active };
    },
    close,
  };
}

async function writeArrays(path: string, base: Base): Promise<void> {
  const arrays = [base.inStart, base.inNode, base.inFrom, base.inTo, base.nodeFrom, base.nodeTo];
  const file = await open(path, 'w');
  try {
    for (const array of [Uint32Array.of(base.nextNodeId, base.inNode.length), ...arrays]) {
      await file.writeFile(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
    }
  } finally {
    await file.close();
  }
}
