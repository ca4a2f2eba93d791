import type { Base } from './base.ts';
import type { Answer } from './protocol.ts';
import { type GraphQuery, runQuery, type ScratchPool } from './query.ts';
import { Scratch } from './scratch.ts';

/** About a tenth of a millisecond, no more than the way to a thread and back takes. */
const LONGEST_WALK = 16_384;

/**
 * Small questions about a graph that did not change since its base was made are answered on the spot: the event loop has no more work with
 * them than with asking a thread, and nobody has to be woken. Undefined: it is none of them, a thread has to be asked.
 */
export function createSmallAnswers(): (base: Base, query: GraphQuery) => Answer | undefined {
  const scratch = new Scratch(LONGEST_WALK);
  const pool: ScratchPool = { take: () => scratch, giveBack() {} };
  return (base, query) => {
    if (!kinds.has(query.kind)) return undefined;
    const steps = runQuery({ base, overlay: undefined }, pool, query);
    const first = steps.next();
    if (first.done) return { version: base.version, ...first.value };
    const last = first.value && steps.next();
    if (last?.done) return { version: base.version, ...last.value, bytes: first.value };
    steps.return({ isFound: false }); // the walk pauses, or the answer has a second part
    return undefined;
  };
}

/** Those whose walk pauses, and of which nothing else grows with the graph. */
const kinds: ReadonlySet<GraphQuery['kind']> = new Set(['nodeId', 'count', 'impactedCount', 'impacted']);
