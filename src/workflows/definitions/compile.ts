import { createHash } from 'node:crypto';
import type { Json, JsonObject, Plan, PlanHook } from '../plan.ts';
import { ItemExpander } from './compile-items.ts';
import { type Complaints, check } from './complaints.ts';
import { suggest } from './fault.ts';
import { type DefinitionBody, shallowDefinition } from './format.schemas.ts';
import { type Names, retryPolicy } from './item-body.ts';
import { orderItems } from './order-items.ts';
import { compilePayloadSchema } from './payload-schema.ts';
import { compileSchedule } from './schedule.ts';
import { follow, type Place } from './yaml-source.ts';

export type Definition = {
  fullname: string;
  project: string;
  name: string;
  plan: Plan;
  /** The definition's own keys, as `GET /api/definitions` shows them. */
  source: JsonObject;
  /** Relative to the home. */
  file: string;
  /** It comes with the service, not from the home. */
  isBuiltIn?: boolean;
};

/** `calls` says where the definition names other workflows. */
export type Compiled = { definition: Definition; calls: Map<string, Place> };

/** What a definition may refer to. */
export type Surroundings = Names & {
  findSchema(name: string): { schema: Json } | { fault: string } | undefined;
  schemaNames(): Iterable<string>;
  nowMs: number;
};

/** One definition, from checked YAML to a plan. Undefined when there were complaints. */
export function compileDefinition(
  fullname: string,
  value: unknown,
  place: Place,
  file: string,
  surroundings: Surroundings,
  complaints: Complaints,
): Compiled | undefined {
  const body = check(shallowDefinition, value, place, `the workflow "${fullname}"`, complaints);
  const queueOf = (key: string, run: string) => queueFor(body?.queue, key, run);
  const expander = new ItemExpander({ complaints, names: surroundings, queueOf });
  // Also when something else is wrong: whoever mends a file wants to see all of it.
  const tasks = body?.tasks ?? tasksOf(value);
  expander.expand(tasks, follow(place, ['tasks']), { retry: body?.retry, queue: undefined });
  if (!body) return undefined;
  const dot = fullname.indexOf('.');
  const [project, name] = [fullname.slice(0, dot), fullname.slice(dot + 1)];
  const hooks = compileHooks(body, place, surroundings, complaints, queueOf);
  const schedule =
    body.periodic && compileSchedule(body.periodic, follow(place, ['periodic']), complaints, surroundings.nowMs);
  const payloadSchema = resolveSchema(body.schema, follow(place, ['schema']), surroundings, complaints);
  if (schedule && payloadSchema !== undefined) checkPeriodicPayload(schedule.payload, payloadSchema, place, complaints);
  if (complaints.faults.length > 0) return undefined;
  const ordered = orderItems(expander.drafts);
  if ('cycle' in ordered) {
    const path = [...ordered.cycle, ordered.cycle[0]].map(({ key }) => `"${key}"`).join(' needs ');
    complaints.at(ordered.cycle[0].place, `These items wait for each other: ${path}.`, 'key');
    return undefined;
  }
  const plan = withVersion({
    project,
    name,
    fullname,
    items: ordered.items,
    hooks,
    priority: body.priority ?? 0,
    timeoutSeconds: body.timeout,
    overlap: body.overlap ?? 'allow',
    retention: compileRetention(body.retention),
    schedule,
    payloadSchema,
  });
  const calls = expander.drafts.flatMap(({ workflow, place: at }) =>
    workflow ? [[workflow.fullname, follow(at, ['workflow'])] as const] : [],
  );
  return { definition: { fullname, project, name, plan, source: sourceOf(value, plan), file }, calls: new Map(calls) };
}

/** Also in other processes and after a restart: the same plan has the same version. */
function withVersion(plan: Omit<Plan, 'version'>): Plan {
  const version = createHash('sha256').update(canonicalJson(plan)).digest('hex').slice(0, 16);
  return { ...plan, version };
}

/** Keys in order, undefined left out. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

function tasksOf(value: unknown): unknown[] {
  const tasks = typeof value === 'object' && value !== null && 'tasks' in value ? value.tasks : undefined;
  return Array.isArray(tasks) ? tasks : [];
}

const defaultQueue = 'default';

function queueFor(queue: DefinitionBody['queue'], key: string, run: string): string {
  if (queue === undefined) return defaultQueue;
  if (typeof queue === 'string') return queue;
  const custom = [key, run].find((name) => queue.customs !== undefined && Object.hasOwn(queue.customs, name));
  return (custom !== undefined ? queue.customs?.[custom] : undefined) ?? queue.default ?? defaultQueue;
}

function compileHooks(
  body: DefinitionBody,
  place: Place,
  names: Names,
  complaints: Complaints,
  queueOf: (key: string, run: string) => string,
): Plan['hooks'] {
  const hooks: Plan['hooks'] = {};
  for (const when of ['init', 'success', 'failure'] as const) {
    const run = body.hooks?.[when];
    if (run === undefined) continue;
    if (!names.isTask(run)) {
      complaints.at(follow(place, ['hooks', when]), `There is no task "${run}".${suggest(run, names.taskNames())}`);
    }
    const hook: PlanHook = { key: run, run, queue: queueOf(run, run), retry: retryPolicy(undefined, body.retry) };
    hooks[when] = hook;
  }
  return hooks;
}

/** Celery Director's `offset` is a count, and -1 keeps all. */
function compileRetention(retention: DefinitionBody['retention']): Plan['retention'] {
  if (!retention) return undefined;
  const count = retention.count ?? (retention.offset === -1 ? undefined : retention.offset);
  if (count === undefined && retention.days === undefined) return undefined;
  return { ...(count !== undefined && { count }), ...(retention.days !== undefined && { days: retention.days }) };
}

function resolveSchema(
  schema: DefinitionBody['schema'],
  place: Place,
  surroundings: Surroundings,
  complaints: Complaints,
): Json | undefined {
  if (schema === undefined) return undefined;
  if (typeof schema !== 'string') {
    const compiled = compilePayloadSchema(schema);
    if ('faults' in compiled) {
      for (const { path, message } of compiled.faults) complaints.at(follow(place, path), message);
    }
    return schema;
  }
  const found = surroundings.findSchema(schema);
  if (!found) complaints.at(place, `There is no schemas/${schema}.json.${suggest(schema, surroundings.schemaNames())}`);
  else if ('fault' in found) complaints.at(place, `schemas/${schema}.json is not usable: ${found.fault}`);
  else return found.schema;
  return undefined;
}

function checkPeriodicPayload(payload: JsonObject, schema: Json, place: Place, complaints: Complaints): void {
  const compiled = compilePayloadSchema(schema);
  if ('faults' in compiled) return;
  const at = follow(place, ['periodic']);
  for (const { path, message } of compiled.validate(payload)) {
    complaints.at(
      follow(at, ['payload', ...path.split('.')]),
      `The payload of "periodic" does not fit the schema: ${path ? `"${path}"` : 'it'} ${message}.`,
      'key',
    );
  }
}

/** As written, except that `periodic` always has the `payload` (and `interval`) of the interface (2.9). */
function sourceOf(value: unknown, plan: Plan): JsonObject {
  const source = value as JsonObject; // it passed the schema of a definition
  const { periodic } = source;
  if (!plan.schedule || typeof periodic !== 'object' || periodic === null || Array.isArray(periodic)) return source;
  const { intervalSeconds, payload } = plan.schedule;
  return {
    ...source,
    periodic: { ...periodic, ...(intervalSeconds !== undefined && { interval: intervalSeconds }), payload },
  };
}
