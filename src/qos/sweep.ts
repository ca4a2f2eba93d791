import { DAY_SECONDS, FALSE, TRUE, UNKNOWN } from './states.ts';

/** What makes an instant true: of the dependencies that count there, all, one, so many, or such a share are true. */
export type Operator = { operator: 'AND' | 'OR' } | { operator: 'ATLEAST' | 'RATIO'; threshold: number };

/**
 * Adds timelines up and goes through the day once, from change to change:
 *
 *   a      TTTTTTTTTTTT      true     2 . . 1 . . 2 . . .        deltas at seconds where something changes
 *   b      TTTFFFTT----      counted  2 . . . . . . . 1 .
 *   AND    TTTFFFTTTTTT      all counted are true
 *
 * The seconds that change are bits of a day, with a bit above each word of them, so they come out in order without being sorted, and a
 * node with ten dependencies costs what its changes cost. Nothing is allocated after the first day.
 */
export class Sweep {
  /** Per second: by how many more (or fewer) count, and are true. */
  readonly #deltas = new Int32Array(2 * (DAY_SECONDS + 1));
  readonly #words = new Uint32Array((DAY_SECONDS >>> 5) + 1);
  readonly #wordsInUse = new Uint32Array((DAY_SECONDS >>> 10) + 1);
  #isChanging = false;
  #counted = 0;
  #true = 0;
  /** The last day's changes, packed as in a timeline. */
  readonly changes = new Uint32Array(DAY_SECONDS + 1);

  /** The changes at `start` … `end` of `packed` are one timeline; it counts from second `from` until before `to`. */
  add(packed: Uint32Array, start: number, end: number, from: number, to: number): void {
    if (from >= to) return;
    let i = start;
    while (i + 1 < end && packed[i + 1] >>> 2 <= from) i++;
    let state = packed[i] & 3;
    this.#change(from, (state + 1) >>> 1, state >>> 1);
    for (i++; i < end; i++) {
      const second = packed[i] >>> 2;
      if (second >= to) break;
      const next = packed[i] & 3;
      this.#change(second, ((next + 1) >>> 1) - ((state + 1) >>> 1), (next >>> 1) - (state >>> 1));
      state = next;
    }
    if (to < DAY_SECONDS) this.#change(to, -((state + 1) >>> 1), -(state >>> 1));
  }

  /** So many dependencies that are true all day. */
  addTrue(count: number): void {
    this.#counted += count;
    this.#true += count;
  }

  /** The day of all that was added since the last call: the number of `changes`. */
  run(operator: Operator): number {
    const { changes } = this;
    const deltas = this.#deltas;
    const words = this.#words;
    const wordsInUse = this.#wordsInUse;
    const { atLeast, share } = demandOf(operator);
    // Divided, not multiplied: 7 / 100 is the number that 0.07 is, 0.07 * 100 is more than 7.
    const stateOf = (counted: number, trues: number) =>
      counted === 0 ? UNKNOWN : trues >= atLeast && trues / counted >= share ? TRUE : FALSE;
    let counted = this.#counted;
    let trues = this.#true;
    let last: number = stateOf(counted, trues);
    changes[0] = last;
    let length = 1;
    const end = this.#isChanging ? wordsInUse.length : 0;
    for (let i = 0; i < end; i++) {
      for (let used = wordsInUse[i]; used !== 0; used &= used - 1) {
        const word = (i << 5) | lowestBit(used);
        for (let bits = words[word]; bits !== 0; bits &= bits - 1) {
          const second = (word << 5) | lowestBit(bits);
          counted += deltas[2 * second];
          trues += deltas[2 * second + 1];
          deltas[2 * second] = 0;
          deltas[2 * second + 1] = 0;
          const state = stateOf(counted, trues);
          if (state === last) continue;
          changes[length++] = (second << 2) | state;
          last = state;
        }
        words[word] = 0;
      }
      wordsInUse[i] = 0;
    }
    this.#isChanging = false;
    this.#counted = 0;
    this.#true = 0;
    return length;
  }

  #change(second: number, counted: number, trues: number): void {
    if (second === 0) {
      this.#counted += counted;
      this.#true += trues;
      return;
    }
    this.#isChanging = true;
    this.#deltas[2 * second] += counted;
    this.#deltas[2 * second + 1] += trues;
    this.#words[second >>> 5] |= 1 << (second & 31);
    this.#wordsInUse[second >>> 10] |= 1 << ((second >>> 5) & 31);
  }
}

/** Every operator asks for so many true ones, and for such a share of those that count. */
function demandOf(operator: Operator): { atLeast: number; share: number } {
  if ('threshold' in operator) {
    const { threshold } = operator;
    return operator.operator === 'RATIO' ? { atLeast: 0, share: threshold } : { atLeast: threshold, share: 0 };
  }
  return operator.operator === 'AND' ? { atLeast: 0, share: 1 } : { atLeast: 1, share: 0 };
}

const lowestBit = (bits: number): number => 31 - Math.clz32(bits & -bits);
