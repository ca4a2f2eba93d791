/**
 * Sorts node ids by (name bytes, label rank). A three-way radix quicksort that looks at four bytes at a time: names of
 * one layer share long prefixes, which a comparing sort would read again for every comparison.
 *
 *   depth 0   "serv" | "serv" | "vm-a"     equal words go on at depth 4,
 *   depth 4   "er-1" | "er-2"              the others are in order already
 */
export function sortByName(
  ids: Uint32Array,
  names: Uint8Array,
  nameStart: Uint32Array,
  labelRankOf: (id: number) => number,
): void {
  const words = new Uint32Array(ids.length);
  // Ranges still to sort: start, end, depth, and whether `words` holds that depth already.
  const stack: number[] = [0, ids.length, 0, 0];
  while (stack.length > 0) {
    const isLoaded = stack.pop() === 1;
    const depth = stack.pop() ?? 0;
    const end = stack.pop() ?? 0;
    const start = stack.pop() ?? 0;
    if (end - start < 2) continue;
    if (!isLoaded) loadWords(ids, words, start, end, depth, names, nameStart);
    if (end - start <= 12) {
      insertionSort(ids, words, start, end);
      pushEqualRuns(stack, words, start, end, depth, ids, labelRankOf);
      continue;
    }
    const pivot = medianOfThree(words[start], words[(start + end) >>> 1], words[end - 1]);
    let less = start;
    let at = start;
    let greater = end;
    while (at < greater) {
      const word = words[at];
      if (word < pivot) swap(ids, words, less++, at++);
      else if (word > pivot) swap(ids, words, at, --greater);
      else at++;
    }
    stack.push(start, less, depth, 1, greater, end, depth, 1);
    pushEqual(stack, pivot, less, greater, depth, ids, labelRankOf);
  }
}

/** Names that end inside this word are equal: names hold no NUL byte, so the padding cannot be mistaken for text. */
function pushEqual(
  stack: number[],
  word: number,
  start: number,
  end: number,
  depth: number,
  ids: Uint32Array,
  labelRankOf: (id: number) => number,
): void {
  if (end - start < 2) return;
  if ((word & 0xff) !== 0) stack.push(start, end, depth + 4, 0);
  else ids.subarray(start, end).sort((a, b) => labelRankOf(a) - labelRankOf(b));
}

function pushEqualRuns(
  stack: number[],
  words: Uint32Array,
  start: number,
  end: number,
  depth: number,
  ids: Uint32Array,
  labelRankOf: (id: number) => number,
): void {
  for (let from = start; from < end; ) {
    let to = from + 1;
    while (to < end && words[to] === words[from]) to++;
    pushEqual(stack, words[from], from, to, depth, ids, labelRankOf);
    from = to;
  }
}

function loadWords(
  ids: Uint32Array,
  words: Uint32Array,
  start: number,
  end: number,
  depth: number,
  names: Uint8Array,
  nameStart: Uint32Array,
): void {
  for (let i = start; i < end; i++) {
    const id = ids[i];
    const at = nameStart[id] + depth;
    const left = nameStart[id + 1] - at;
    let word = 0;
    if (left >= 4) word = (names[at] << 24) | (names[at + 1] << 16) | (names[at + 2] << 8) | names[at + 3];
    else {
      if (left > 0) word = names[at] << 24;
      if (left > 1) word |= names[at + 1] << 16;
      if (left > 2) word |= names[at + 2] << 8;
    }
    words[i] = word;
  }
}

function insertionSort(ids: Uint32Array, words: Uint32Array, start: number, end: number): void {
  for (let i = start + 1; i < end; i++) {
    const word = words[i];
    const id = ids[i];
    let j = i - 1;
    for (; j >= start && words[j] > word; j--) {
      words[j + 1] = words[j];
      ids[j + 1] = ids[j];
    }
    words[j + 1] = word;
    ids[j + 1] = id;
  }
}

function swap(ids: Uint32Array, words: Uint32Array, a: number, b: number): void {
  const word = words[a];
  words[a] = words[b];
  words[b] = word;
  const id = ids[a];
  ids[a] = ids[b];
  ids[b] = id;
}

function medianOfThree(a: number, b: number, c: number): number {
  if (a < b) return b < c ? b : Math.max(a, c);
  return a < c ? a : Math.max(b, c);
}
