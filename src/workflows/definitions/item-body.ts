import type { PlanItem, RetryPolicy } from '../plan.ts';
import { serviceBuiltIns, workerBuiltIns } from '../plan.ts';
import { checkArguments, checkExpression, checkTemplates } from './check-values.ts';
import { type Complaints, check } from './complaints.ts';
import { suggest } from './fault.ts';
import { type ItemType, itemTypes, type RetryBody, shallowBodies } from './format.schemas.ts';
import { follow, type Place } from './yaml-source.ts';

/** What items may refer to. */
export type Names = {
  /** Tasks of files, of tasks/remote.yml, and built-in ones. */
  isTask(name: string): boolean;
  /** For guesses at what was meant. */
  taskNames(): Iterable<string>;
  isWorkflow(fullname: string): boolean;
  workflowNames(): Iterable<string>;
};

export type ItemContext = {
  complaints: Complaints;
  names: Names;
  /** The queue that the definition gives to a task: by key, by task, or to all. */
  queueOf(key: string, run: string): string;
};

/** What items inherit from the group, the chain or the definition around them. */
export type Defaults = { retry: RetryBody | undefined; queue: string | undefined };

/** An item that becomes a task row, before it is known what it comes after. */
export type LeafDraft = Omit<PlanItem, 'previous' | 'previousShape'> & { place: Place };
export type LeafType = Exclude<ItemType, 'group' | 'chain'>;
type Drafted = { draft: LeafDraft; needs: string[] | undefined };

export const builtInNames: readonly string[] = [...workerBuiltIns, ...serviceBuiltIns];

/** Without `type` it is a task, unless it looks like something else. */
export function typeOf(key: string, body: object, place: Place, complaints: Complaints): ItemType | undefined {
  const given = 'type' in body ? body.type : undefined;
  if (given === undefined) {
    if (!('tasks' in body)) return 'task';
    complaints.at(place, `"${key}" has tasks: say "type: group" or "type: chain".`, 'key');
    return undefined;
  }
  const type = itemTypes.find((known) => known === given);
  if (type) return type;
  const guess = typeof given === 'string' ? suggest(given, itemTypes) : '';
  complaints.at(follow(place, ['type']), `The type of "${key}" must be one of ${itemTypes.join(', ')}.${guess}`);
  return undefined;
}

/** `- NAME` */
export function draftPlain(name: string, place: Place, defaults: Defaults, context: ItemContext): LeafDraft {
  checkTask(name, place, context);
  return { key: name, kind: 'task', run: name, place, ...running(name, name, {}, defaults, context) };
}

/** `- KEY: { type: …, … }`. Undefined when the body does not have the shape of its type. */
export function draftLeaf(
  type: LeafType,
  key: string,
  body: object,
  place: Place,
  defaults: Defaults,
  context: ItemContext,
): Drafted | undefined {
  const drafted = drafters[type](key, body, place, defaults, context);
  const when = drafted?.draft.when;
  if (when !== undefined) checkExpression(when, follow(place, ['when']), false, context.complaints);
  return drafted;
}

type Drafter = (
  key: string,
  body: object,
  place: Place,
  defaults: Defaults,
  context: ItemContext,
) => Drafted | undefined;

const drafters: Record<LeafType, Drafter> = {
  task(key, body, place, defaults, context) {
    const value = check(shallowBodies.task, body, place, `the task "${key}"`, context.complaints);
    if (!value) return undefined;
    const run = value.run ?? key;
    const runPlace = value.run === undefined ? { ...place, value: place.key } : follow(place, ['run']);
    if (!value.remote) checkTask(run, runPlace, context);
    checkWith(run, value.with, place, false, context);
    const draft = { key, kind: 'task' as const, run, place, ...running(key, run, value, defaults, context) };
    return { draft: { ...draft, ...(value.with !== undefined && { with: value.with }) }, needs: value.needs };
  },

  foreach(key, body, place, defaults, context) {
    const value = check(shallowBodies.foreach, body, place, `the foreach "${key}"`, context.complaints);
    if (!value) return undefined;
    const run = value.task;
    if (!value.remote) checkTask(run, follow(place, ['task']), context);
    checkExpression(value.over, follow(place, ['over']), false, context.complaints);
    checkWith(run, value.with, place, true, context);
    const foreach = { over: value.over, concurrency: value.concurrency };
    const draft = {
      key,
      kind: 'foreach' as const,
      run,
      place,
      foreach,
      ...running(key, run, value, defaults, context),
    };
    return { draft: { ...draft, ...(value.with !== undefined && { with: value.with }) }, needs: value.needs };
  },

  approval(key, body, place, defaults, context) {
    const value = check(shallowBodies.approval, body, place, `the approval "${key}"`, context.complaints);
    if (!value) return undefined;
    const { message } = value;
    if (message !== undefined) checkTemplates(message, follow(place, ['message']), false, context.complaints);
    // Nobody is asked twice: retries are for tasks.
    const waiting = running(key, 'approval', value, { ...defaults, retry: undefined }, context);
    const draft = { key, kind: 'approval' as const, run: 'approval', place, ...waiting };
    return { draft: { ...draft, ...(message !== undefined && { with: { message } }) }, needs: value.needs };
  },

  workflow(key, body, place, defaults, context) {
    const { complaints, names } = context;
    const value = check(shallowBodies.workflow, body, place, `the workflow item "${key}"`, complaints);
    if (!value) return undefined;
    const { payload, workflow: fullname } = value;
    if (!names.isWorkflow(fullname)) {
      const guess = suggest(fullname, names.workflowNames());
      complaints.at(follow(place, ['workflow']), `There is no workflow "${fullname}".${guess}`);
    }
    if (payload !== undefined) checkExpression(payload, follow(place, ['payload']), false, complaints);
    const workflow = { fullname, ...(payload !== undefined && { payload }) };
    const started = running(key, 'workflow', value, defaults, context);
    return { draft: { key, kind: 'workflow', run: 'workflow', place, workflow, ...started }, needs: value.needs };
  },
};

/** Nobody asked for retries: one attempt. Somebody did: three, unless they said how many. */
export function retryPolicy(own: RetryBody | undefined, inherited: RetryBody | undefined): RetryPolicy {
  const merged = { ...inherited, ...own };
  const isAsked = own !== undefined || inherited !== undefined;
  return {
    attempts: merged.attempts ?? (isAsked ? 3 : 1),
    delaySeconds: merged.delay ?? 1,
    backoff: merged.backoff ?? 'exponential',
    maxDelaySeconds: merged.max_delay ?? 300,
  };
}

type RunBody = { queue?: string; retry?: RetryBody; timeout?: number; when?: string };

function running(key: string, run: string, body: RunBody, defaults: Defaults, context: ItemContext) {
  return {
    queue: body.queue ?? defaults.queue ?? context.queueOf(key, run),
    retry: retryPolicy(body.retry, defaults.retry),
    ...(body.timeout !== undefined && { timeoutSeconds: body.timeout }),
    ...(body.when !== undefined && { when: body.when }),
  };
}

function checkTask(name: string, place: Place, { names, complaints }: ItemContext): void {
  if (names.isTask(name)) return;
  const advice = 'Export a function of this name from a file in tasks/, or list it in tasks/remote.yml.';
  complaints.at(place, `There is no task "${name}".${suggest(name, names.taskNames())} ${advice}`);
}

function checkWith(run: string, value: unknown, place: Place, isInForeach: boolean, { complaints }: ItemContext): void {
  const at = follow(place, ['with']);
  if (value !== undefined) checkTemplates(value, at, isInForeach, complaints);
  if (builtInNames.includes(run)) checkArguments(run, value, value === undefined ? place : at, complaints);
}
