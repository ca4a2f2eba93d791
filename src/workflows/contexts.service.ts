import type { EngineStore } from './engine.store.ts';
import type { Json, JsonObject, Plan } from './plan.ts';
import { type InstanceContext, neededResults } from './task-context.ts';

const maxPlans = 1000;

export type Contexts = ReturnType<typeof createContexts>;

/**
 * Plans, payloads and results of the instances that are being worked on. Nothing in here ever changes once it is known, so it is read from
 * the database only if another process, or a former life of this one, wrote it.
 */
export function createContexts(deps: { store: EngineStore; maxBytes: number }) {
  const { store, maxBytes } = deps;
  const plans = new Map<string, Plan>();
  /** In the order of use. */
  const contexts = new Map<string, InstanceContext>();
  let bytes = 0;

  function remember(context: InstanceContext): void {
    const former = contexts.get(context.id);
    if (former) bytes -= former.bytes;
    contexts.delete(context.id);
    contexts.set(context.id, context);
    bytes += context.bytes;
    for (const [id, oldest] of contexts) {
      if (bytes <= maxBytes || id === context.id) break;
      contexts.delete(id);
      bytes -= oldest.bytes;
    }
  }

  function rememberPlan(plan: Plan): void {
    plans.set(plan.version, plan);
    if (plans.size > maxPlans) plans.delete(plans.keys().next().value ?? '');
  }

  async function plansOf(versions: string[]): Promise<Map<string, Plan>> {
    const missing = [...new Set(versions)].filter((version) => !plans.has(version));
    if (missing.length > 0) for (const plan of await store.loadPlans(missing)) rememberPlan(plan);
    return plans;
  }

  async function load(ids: string[]): Promise<void> {
    const rows = await store.loadInstances(ids);
    const known = await plansOf(rows.map(({ version }) => version));
    for (const { id, version, payload } of rows) {
      const plan = known.get(version);
      if (!plan) throw new Error(`The definition ${version} of instance ${id} is gone.`);
      remember({
        id,
        plan,
        payload: JSON.parse(payload) as JsonObject,
        results: new Map(),
        bytes: payload.length + 500,
      }); // our own row
    }
  }

  return {
    rememberPlan,
    plansOf,
    /** A new instance: all that is to be known of it is known here already. */
    add(id: string, plan: Plan, payload: JsonObject): void {
      remember({ id, plan, payload, results: new Map(), bytes: 500 });
    },
    addResult(instanceId: string, position: number, result: Json): void {
      const context = contexts.get(instanceId);
      if (!context || position < 0) return;
      context.results.set(position, result);
      const size = sizeOf(result);
      context.bytes += size;
      bytes += size;
    },
    forget(instanceId: string): void {
      const context = contexts.get(instanceId);
      if (!context) return;
      contexts.delete(instanceId);
      bytes -= context.bytes;
    },
    /** With every result that the given tasks may see. An instance that is gone is missing in the answer. */
    async get(tasks: { instance_id: string; position: number }[]): Promise<Map<string, InstanceContext>> {
      const ids = [...new Set(tasks.map((task) => task.instance_id))];
      const unknown = ids.filter((id) => !contexts.has(id));
      if (unknown.length > 0) await load(unknown);
      const found = new Map<string, InstanceContext>();
      for (const id of ids) {
        const context = contexts.get(id);
        if (!context) continue;
        remember(context); // used just now
        found.set(id, context);
      }
      const lacking = new Set<string>();
      for (const { instance_id: id, position } of tasks) {
        const context = found.get(id);
        if (!context) continue;
        const isLacking =
          position < 0 || neededResults(context.plan, position).some((needed) => !context.results.has(needed));
        if (isLacking) lacking.add(id);
      }
      if (lacking.size > 0) {
        for (const { instance_id: id, position, result } of await store.loadResults([...lacking])) {
          found.get(id)?.results.set(position, JSON.parse(result) as Json); // our own row
        }
      }
      return found;
    },
  };
}

/** Good enough for a budget: exact sizes would cost a serialization. */
function sizeOf(value: Json): number {
  if (typeof value === 'string') return value.length + 16;
  if (typeof value !== 'object' || value === null) return 16;
  const parts = Array.isArray(value) ? value : Object.values(value);
  let size = 32;
  for (const part of parts) size += sizeOf(part);
  return size;
}
