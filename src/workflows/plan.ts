/**
 * A definition compiled for running: a directed acyclic graph of items, each of which becomes one task row.
 *
 *   tasks: [ A, BOTH: { type: group, tasks: [ B, C ] }, D ]
 *
 *   A ─▶ B ─▶ D        previous(B) = [A], shape "one"; previous(D) = [B, C], shape "list"
 *    └▶ C ─▶┘
 *
 * Groups and chains leave no row of their own, as in Celery Director.
 */
export type Plan = {
  project: string;
  name: string;
  fullname: string;
  /** Changes with anything that changes how an instance runs; instances are pinned to it. */
  version: string;
  /** In definition order; every item comes after those it depends on. At least one. */
  items: PlanItem[];
  hooks: { init?: PlanHook; success?: PlanHook; failure?: PlanHook };
  /** Higher goes first. */
  priority: number;
  timeoutSeconds: number | undefined;
  overlap: 'allow' | 'skip' | 'queue' | 'replace';
  retention: { days?: number; count?: number } | undefined;
  schedule: Schedule | undefined;
  /** JSON Schema of the payload. */
  payloadSchema: Json | undefined;
};

export type PlanItem = {
  key: string;
  kind: 'task' | 'foreach' | 'approval' | 'workflow';
  /** The function: one of `tasks/`, a built-in, or one that a remote worker offers. For kinds other than `task` and `foreach` it is the kind. */
  run: string;
  queue: string;
  /** Direct predecessors, by their place in `items`. */
  previous: number[];
  /** What `context.previous` looks like: null, one result, or a list (after a group, or several `needs`). */
  previousShape: 'none' | 'one' | 'list';
  /** Arguments of built-in tasks; text in it may hold {{expressions}}. */
  with?: Json;
  /** Expression: false means that the item is skipped and counts as done. */
  when?: string;
  retry: RetryPolicy;
  timeoutSeconds?: number;
  /** kind foreach: the list expression, and how many may run at once. Each element runs `run` with `with`. */
  foreach?: { over: string; concurrency: number | undefined };
  /** kind workflow: which one, and the expression that makes its payload (default: this instance's payload). */
  workflow?: { fullname: string; payload?: string };
};

export type PlanHook = { key: string; run: string; queue: string; retry: RetryPolicy; timeoutSeconds?: number };

/** The wait before attempt n+1 is `delay` (fixed), `delay × n` (linear) or `delay × 2^(n-1)` (exponential), at most `maxDelay`. */
export type RetryPolicy = {
  /** How often it is tried in all; 1 is no retry. */
  attempts: number;
  delaySeconds: number;
  backoff: 'fixed' | 'linear' | 'exponential';
  maxDelaySeconds: number;
};

export type Schedule = {
  /** Exactly one of the two. */
  intervalSeconds?: number;
  crontab?: string;
  timezone: string;
  payload: JsonObject;
  /** What happens with ticks that passed while nothing ran: none, one, or each of them (at most 100). */
  missed: 'skip' | 'once' | 'all';
};

export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json };

/** What expressions and templates may name. */
export type Scope = {
  payload: JsonObject;
  results: Record<string, Json>;
  previous: Json;
  instance: { id: string; project: string; name: string; fullname: string };
  /** In a foreach. */
  item?: Json;
  index?: number;
};

/** The built-in tasks, and which of them the service itself carries out (the others run in a worker). */
export const workerBuiltIns = ['http', 'shell'] as const;
export const serviceBuiltIns = ['sleep', 'graph.import', 'notify', 'emit', 'qos.compute'] as const;
/** Only for the definitions that the service brings itself. */
export const internalBuiltIns = ['qos.teams', 'qos.team', 'qos.plan', 'qos.chunk', 'qos.finish'] as const;
