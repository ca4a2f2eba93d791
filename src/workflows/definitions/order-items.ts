import type { PlanItem } from '../plan.ts';
import type { Draft } from './compile-items.ts';

/**
 * Every item after those it depends on, and otherwise in the order in which they were written: only what `needs` something
 * further down moves behind it. A cycle is returned as the drafts that form it.
 */
export function orderItems(drafts: Draft[]): { items: PlanItem[] } | { cycle: Draft[] } {
  const order: number[] = [];
  const state = new Uint8Array(drafts.length); // 0 new, 1 on the way, 2 placed
  for (let root = 0; root < drafts.length; root++) {
    // An explicit stack: a chain may be ten thousand items long.
    const stack = [{ index: root, next: 0 }];
    while (stack.length > 0) {
      const top = stack[stack.length - 1];
      if (state[top.index] === 2) {
        stack.pop();
        continue;
      }
      state[top.index] = 1;
      const { previous } = drafts[top.index];
      if (top.next === previous.length) {
        state[top.index] = 2;
        order.push(top.index);
        stack.pop();
        continue;
      }
      const before = previous[top.next++];
      if (state[before] === 1) {
        const from = stack.findIndex(({ index }) => index === before);
        return { cycle: stack.slice(from).map(({ index }) => drafts[index]) };
      }
      if (state[before] === 0) stack.push({ index: before, next: 0 });
    }
  }
  const position = new Map(order.map((draft, index) => [draft, index]));
  const items = order.map((index) => {
    const { place: _place, previous, ...item } = drafts[index];
    const moved = previous.map((before) => position.get(before) ?? 0).toSorted((a, b) => a - b);
    return { ...item, previous: moved };
  });
  return { items };
}
