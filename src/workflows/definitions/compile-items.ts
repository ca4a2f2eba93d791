import type { Json, PlanItem, RetryPolicy } from '../plan.ts';
import { serviceBuiltIns, workerBuiltIns } from '../plan.ts';
import { checkArguments, checkExpression, checkTemplates } from './check-values.ts';
import type { Complaints } from './complaints.ts';
import { check } from './complaints.ts';
import { suggest } from './fault.ts';
import { type ItemType, itemTypes, type RetryBody, shallowBodies, taskName } from './format.schemas.ts';
import { follow, type Place } from './yaml-source.ts';

export const maxItems = 10_000;
export const maxEdges = 100_000;

/** An item before ordering: `previous` are places in the list of drafts, `needs` are still names. */
export type Draft = PlanItem & { place: Place };

/** What the next item in a chain comes after. */
export type Exit = { items: number[]; shape: PlanItem['previousShape'] };

/** What items inherit from the group, the chain or the definition around them. */
export type Defaults = { retry: RetryBody | undefined; queue: string | undefined };

export type Names = {
  /** Tasks of files, of tasks/remote.yml, and built-in ones. */
  isTask(name: string): boolean;
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

const start: Exit = { items: [], shape: 'none' };
/** What follows an item that was complained about. Not its own entry: with `needs` that could lead back to itself. */
const failed = () => start;

/**
 * Expands nested groups and chains to items with direct predecessors.
 *
 *   [ A, G: group [ B, C: chain [ D, E ] ], F ]      A ─▶ B ──────▶ F      previous(F) = [B, E], a list:
 *                                                    └─▶ D ─▶ E ─▶┘        the last of each member of the group
 *
 * Expansion happens in two passes, because `needs` may name what comes later: the first collects items and what each name stands for,
 * and `link` then turns names into predecessors.
 */
export class ItemExpander {
  readonly drafts: Draft[] = [];
  readonly #context: ItemContext;
  readonly #named = new Map<string, NamedItem[]>();
  /** Sets predecessors, once every name is known. In definition order. */
  readonly #links: (() => void)[] = [];
  #edges = 0;
  #isTooLarge = false;

  constructor(context: ItemContext) {
    this.#context = context;
  }

  expand(tasks: readonly unknown[], place: Place, defaults: Defaults): void {
    this.#chain(tasks, place, defaults, () => start);
    for (const [key, all] of this.#named) this.#checkUnique(key, all);
    for (const link of this.#links) if (!this.#isTooLarge) link();
  }

  /** One after the other. `enter` is asked only when linking. */
  #chain(tasks: readonly unknown[], place: Place, defaults: Defaults, enter: () => Exit): () => Exit {
    let before = enter;
    for (const [index, task] of tasks.entries()) {
      before = this.#item(task, follow(place, [index]), defaults, before);
    }
    return before;
  }

  /** Side by side. The exits of all members, in order, make one list. */
  #group(tasks: readonly unknown[], place: Place, defaults: Defaults, enter: () => Exit): () => Exit {
    const members = tasks.map((task, index) => this.#item(task, follow(place, [index]), defaults, enter));
    return once(() => ({ items: [...new Set(members.flatMap((exit) => exit().items))], shape: 'list' }));
  }

  #item(task: unknown, place: Place, defaults: Defaults, enter: () => Exit): () => Exit {
    const { complaints } = this.#context;
    if (this.#isTooLarge) return failed;
    if (typeof task === 'string') return this.#plain(task, place, defaults, enter);
    const entries = typeof task === 'object' && task !== null && !Array.isArray(task) ? Object.entries(task) : [];
    if (entries.length !== 1) {
      const many = 'An item is one key with a mapping below it; is the text after the first key indented enough?';
      complaints.at(place, entries.length > 1 ? many : 'An item is the name of a task, or one key with a mapping.');
      return failed;
    }
    const [key, body] = entries[0];
    const bodyPlace = follow(place, [key]);
    if (check(taskName, key, bodyPlace, `the key "${key}"`, complaints) === undefined) return failed;
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      complaints.at(
        bodyPlace,
        `"${key}:" needs a mapping such as { type: group, tasks: […] }; for a plain task write "- ${key}".`,
        'key',
      );
      return failed;
    }
    return this.#typed(key, body as Record<string, unknown>, bodyPlace, defaults, enter);
  }

  #plain(name: string, place: Place, defaults: Defaults, enter: () => Exit): () => Exit {
    if (check(taskName, name, place, 'the name of a task', this.#context.complaints) === undefined) return failed;
    this.#checkTask(name, place);
    const base = { key: name, kind: 'task' as const, run: name, place };
    return this.#leaf({ ...base, ...this.#running(name, name, {}, defaults) }, undefined, enter, true);
  }

  #typed(key: string, body: Record<string, unknown>, place: Place, defaults: Defaults, enter: () => Exit): () => Exit {
    const { complaints } = this.#context;
    const type = this.#typeOf(key, body, place);
    if (!type) return failed;
    const what = `the ${type} "${key}"`;
    switch (type) {
      case 'group':
      case 'chain': {
        const value = check(shallowBodies[type], body, place, what, complaints);
        if (!value) return failed;
        const inner = { retry: { ...defaults.retry, ...value.retry }, queue: value.queue ?? defaults.queue };
        const hasRetry = defaults.retry !== undefined || value.retry !== undefined;
        const entered = this.#entry(value.needs, place, enter);
        const expandMembers = type === 'group' ? this.#group.bind(this) : this.#chain.bind(this);
        const exit = expandMembers(
          value.tasks,
          follow(place, ['tasks']),
          { ...inner, retry: hasRetry ? inner.retry : undefined },
          entered,
        );
        this.#name(key, { exit, isPlain: false, place });
        return exit;
      }
      case 'task': {
        const value = check(shallowBodies.task, body, place, what, complaints);
        if (!value) return failed;
        const run = value.run ?? key;
        if (!value.remote)
          this.#checkTask(run, value.run === undefined ? { ...place, value: place.key } : follow(place, ['run']));
        if (value.with !== undefined) checkTemplates(value.with, follow(place, ['with']), false, complaints);
        if (isBuiltIn(run))
          checkArguments(run, value.with, value.with === undefined ? place : follow(place, ['with']), complaints);
        this.#checkWhen(value.when, place);
        const item = {
          key,
          kind: 'task' as const,
          run,
          place,
          ...(value.with !== undefined && { with: asJson(value.with) }),
        };
        return this.#leaf({ ...item, ...this.#running(key, run, value, defaults) }, value.needs, enter, false);
      }
      case 'foreach': {
        const value = check(shallowBodies.foreach, body, place, what, complaints);
        if (!value) return failed;
        if (!value.remote) this.#checkTask(value.task, follow(place, ['task']));
        checkExpression(value.over, follow(place, ['over']), false, complaints);
        if (value.with !== undefined) checkTemplates(value.with, follow(place, ['with']), true, complaints);
        if (isBuiltIn(value.task))
          checkArguments(
            value.task,
            value.with,
            value.with === undefined ? place : follow(place, ['with']),
            complaints,
          );
        this.#checkWhen(value.when, place);
        const foreach = { over: value.over, concurrency: value.concurrency };
        const item = {
          key,
          kind: 'foreach' as const,
          run: value.task,
          place,
          foreach,
          ...(value.with !== undefined && { with: asJson(value.with) }),
        };
        return this.#leaf({ ...item, ...this.#running(key, value.task, value, defaults) }, value.needs, enter, false);
      }
      case 'approval': {
        const value = check(shallowBodies.approval, body, place, what, complaints);
        if (!value) return failed;
        if (value.message !== undefined) checkTemplates(value.message, follow(place, ['message']), false, complaints);
        this.#checkWhen(value.when, place);
        const { message } = value;
        const item = {
          key,
          kind: 'approval' as const,
          run: 'approval',
          place,
          ...(message !== undefined && { with: { message } }),
        };
        const waiting = {
          ...this.#running(key, 'approval', value, defaults),
          retry: retryPolicy(undefined, undefined),
        };
        return this.#leaf({ ...item, ...waiting }, value.needs, enter, false);
      }
      case 'workflow': {
        const value = check(shallowBodies.workflow, body, place, what, complaints);
        if (!value) return failed;
        this.#checkWorkflow(value.workflow, follow(place, ['workflow']));
        if (value.payload !== undefined) checkExpression(value.payload, follow(place, ['payload']), false, complaints);
        this.#checkWhen(value.when, place);
        const workflow = { fullname: value.workflow, ...(value.payload !== undefined && { payload: value.payload }) };
        const item = { key, kind: 'workflow' as const, run: 'workflow', place, workflow };
        return this.#leaf({ ...item, ...this.#running(key, 'workflow', value, defaults) }, value.needs, enter, false);
      }
    }
  }

  /** Without `type` it is a task, unless it looks like something else. */
  #typeOf(key: string, body: Record<string, unknown>, place: Place): ItemType | undefined {
    const { complaints } = this.#context;
    const given = body['type'];
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

  #leaf(
    draft: Omit<Draft, 'previous' | 'previousShape'>,
    needs: string[] | undefined,
    enter: () => Exit,
    isPlain: boolean,
  ): () => Exit {
    const { complaints } = this.#context;
    if (this.drafts.length >= maxItems) {
      this.#isTooLarge = true;
      complaints.at(draft.place, `A workflow may have ${maxItems} items; split it, or use a foreach.`);
      return failed;
    }
    const own = this.drafts.push({ ...draft, previous: [], previousShape: 'none' }) - 1;
    const entered = this.#entry(needs, draft.place, enter);
    this.#links.push(() => {
      const before = entered();
      this.#edges += before.items.length;
      if (this.#edges > maxEdges) {
        this.#isTooLarge = true;
        complaints.at(
          draft.place,
          `A workflow may have ${maxEdges} dependencies between items; put one item between two large groups.`,
        );
        return;
      }
      Object.assign(this.drafts[own], { previous: before.items, previousShape: before.shape });
    });
    const exit: Exit = { items: [own], shape: 'one' };
    this.#name(draft.key, { exit: () => exit, isPlain, place: draft.place });
    return () => exit;
  }

  /** `needs` takes the place of what stands before. */
  #entry(needs: string[] | undefined, place: Place, enter: () => Exit): () => Exit {
    if (needs === undefined) return enter;
    return once(() => {
      const exits = needs.map((name, index) => this.#find(name, follow(place, ['needs', index])));
      const [first] = exits;
      if (exits.length === 1) return first;
      const items = [...new Set(exits.flatMap((exit) => exit.items))];
      return { items, shape: items.length === 0 ? 'none' : 'list' };
    });
  }

  #find(name: string, place: Place): Exit {
    const { complaints } = this.#context;
    const found = this.#named.get(name) ?? [];
    if (found.length === 1) return found[0].exit();
    const several = `"${name}" stands for ${found.length} items; give each a key of its own, such as { FIRST: { run: ${name} } }.`;
    const none = `No item has the key "${name}".${suggest(name, this.#named.keys())}`;
    complaints.at(place, found.length > 1 ? several : none);
    return start;
  }

  #name(key: string, item: NamedItem): void {
    const known = this.#named.get(key);
    if (known) known.push(item);
    else this.#named.set(key, [item]);
  }

  /** A plain task may be there many times, as in Celery Director; a key that somebody chose may not. */
  #checkUnique(key: string, all: NamedItem[]): void {
    const chosen = all.filter(({ isPlain }) => !isPlain);
    for (const { place } of chosen.slice(1)) {
      this.#context.complaints.at(place, `The key "${key}" is used twice; choose another.`, 'key');
    }
  }

  #checkTask(name: string, place: Place): void {
    const { names, complaints } = this.#context;
    if (names.isTask(name)) return;
    const advice = 'Export a function of this name from a file in tasks/, or list it in tasks/remote.yml.';
    complaints.at(place, `There is no task "${name}".${suggest(name, names.taskNames())} ${advice}`);
  }

  #checkWorkflow(fullname: string, place: Place): void {
    const { names, complaints } = this.#context;
    if (!names.isWorkflow(fullname))
      complaints.at(place, `There is no workflow "${fullname}".${suggest(fullname, names.workflowNames())}`);
  }

  #checkWhen(when: string | undefined, place: Place): void {
    if (when !== undefined) checkExpression(when, follow(place, ['when']), false, this.#context.complaints);
  }

  #running(key: string, run: string, body: RunBody, defaults: Defaults) {
    return {
      queue: body.queue ?? defaults.queue ?? this.#context.queueOf(key, run),
      retry: retryPolicy(body.retry, defaults.retry),
      ...(body.timeout !== undefined && { timeoutSeconds: body.timeout }),
      ...(body.when !== undefined && { when: body.when }),
    };
  }
}

type NamedItem = { exit: () => Exit; isPlain: boolean; place: Place };
type RunBody = { queue?: string; retry?: RetryBody; timeout?: number; when?: string };

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

const builtIns: readonly string[] = [...workerBuiltIns, ...serviceBuiltIns];
export const isBuiltIn = (name: string): boolean => builtIns.includes(name);
export const builtInNames = builtIns;

// Values come from YAML, which was converted to JSON; zod's output type says the same less strictly.
const asJson = (value: unknown): Json => value as Json;

/** Exits of groups are asked for by every successor; the list is made once. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
