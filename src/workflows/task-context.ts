import { type HookName, hookPositions } from './new-instance.ts';
import type { Json, JsonObject, Plan, PlanHook, PlanItem, Scope } from './plan.ts';

/** What is known of an instance that tasks are handed out of. Results never change once they are there, so a copy stays true. */
export type InstanceContext = {
  id: string;
  plan: Plan;
  payload: JsonObject;
  /** By position of the item. */
  results: Map<number, Json>;
  /** Roughly, for the budget of the cache. */
  bytes: number;
};

/** Positions of all items that an item comes after, directly or not. */
export function ancestorsOf(plan: Plan, position: number): number[] {
  let known = ancestors.get(plan);
  if (!known) ancestors.set(plan, (known = new Map()));
  const found = known.get(position);
  if (found) return found;
  const seen = new Set<number>();
  const open = [...plan.items[position].previous];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    open.push(...plan.items[next].previous);
  }
  const list = [...seen].toSorted((a, b) => a - b);
  // In a long chain all the lists together are quadratic: only those of small plans are worth keeping.
  if (plan.items.length <= 256) known.set(position, list);
  return list;
}
const ancestors = new WeakMap<Plan, Map<number, number[]>>();

/** Which results an item needs; a hook needs all there are. */
export const neededResults = (plan: Plan, position: number): number[] =>
  position < 0 ? [] : ancestorsOf(plan, position);

/** What an item's expressions, templates and code may see. */
export function scopeOf(context: InstanceContext, position: number): Scope {
  const { plan, payload, results } = context;
  const visible = position < 0 ? [...results.keys()].toSorted((a, b) => a - b) : ancestorsOf(plan, position);
  const byKey: Record<string, Json> = Object.create(null);
  for (const one of visible) {
    const result = results.get(one);
    if (result !== undefined) byKey[plan.items[one].key] = result;
  }
  return { payload, results: byKey, previous: previousOf(context, position), instance: instanceOf(context) };
}

export const instanceOf = ({ id, plan }: InstanceContext): Scope['instance'] => ({
  id,
  project: plan.project,
  name: plan.name,
  fullname: plan.fullname,
});

function previousOf({ plan, results }: InstanceContext, position: number): Json {
  if (position < 0) return null;
  const { previous, previousShape } = plan.items[position];
  if (previousShape === 'none') return null;
  if (previousShape === 'one') return results.get(previous[0]) ?? null;
  return previous.map((one) => results.get(one) ?? null);
}

export const itemAt = (plan: Plan, position: number): PlanItem | PlanHook | undefined =>
  position >= 0 ? plan.items[position] : plan.hooks[hookNameAt(position)];

export function hookNameAt(position: number): HookName {
  if (position === hookPositions.init) return 'init';
  return position === hookPositions.success ? 'success' : 'failure';
}
