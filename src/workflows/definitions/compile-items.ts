import type { PlanItem } from '../plan.ts';
import { check } from './complaints.ts';
import { suggest } from './fault.ts';
import { shallowBodies, taskName } from './format.schemas.ts';
import { type Defaults, draftLeaf, draftPlain, type ItemContext, type LeafDraft, typeOf } from './item-body.ts';
import { follow, type Place } from './yaml-source.ts';

const maxItems = 10_000;
const maxEdges = 100_000;

/** An item before ordering: `previous` are places in the list of drafts, `needs` are still names. */
export type Draft = PlanItem & { place: Place };

/** What the next item in a chain comes after. */
type Exit = { items: number[]; shape: PlanItem['previousShape'] };

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
    const exit = this.#typed(key, body, bodyPlace, defaults, enter);
    // Whoever needs a bad item needs no second complaint.
    if (exit === failed && !this.#named.has(key)) this.#name(key, { exit, origin: 'container', place: bodyPlace });
    return exit;
  }

  #plain(name: string, place: Place, defaults: Defaults, enter: () => Exit): () => Exit {
    if (check(taskName, name, place, 'the name of a task', this.#context.complaints) === undefined) return failed;
    return this.#leaf(draftPlain(name, place, defaults, this.#context), undefined, enter, 'plain');
  }

  #typed(key: string, body: object, place: Place, defaults: Defaults, enter: () => Exit): () => Exit {
    const { complaints } = this.#context;
    const type = typeOf(key, body, place, complaints);
    if (!type) return failed;
    if (type !== 'group' && type !== 'chain') {
      const drafted = draftLeaf(type, key, body, place, defaults, this.#context);
      return drafted ? this.#leaf(drafted.draft, drafted.needs, enter, 'chosen') : failed;
    }
    const value = check(shallowBodies[type], body, place, `the ${type} "${key}"`, complaints);
    if (!value) return failed;
    const hasRetry = defaults.retry !== undefined || value.retry !== undefined;
    const inner: Defaults = {
      retry: hasRetry ? { ...defaults.retry, ...value.retry } : undefined,
      queue: value.queue ?? defaults.queue,
    };
    const entered = this.#entry(value.needs, place, enter);
    const members = follow(place, ['tasks']);
    const exit =
      type === 'group'
        ? this.#group(value.tasks, members, inner, entered)
        : this.#chain(value.tasks, members, inner, entered);
    this.#name(key, { exit, origin: 'container', place });
    return exit;
  }

  #leaf(draft: LeafDraft, needs: string[] | undefined, enter: () => Exit, origin: NamedItem['origin']): () => Exit {
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
    this.#name(draft.key, { exit: () => exit, origin, place: draft.place });
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

  /**
   * A plain task may be there many times, and a group may be called like a task, as in Celery Director; a key that somebody chose
   * is the only one of its name.
   */
  #checkUnique(key: string, all: NamedItem[]): void {
    const chosen = all.filter(({ origin }) => origin !== 'plain');
    const isFine = all.length === 1 || chosen.length === 0 || (chosen.length === 1 && chosen[0].origin === 'container');
    if (isFine) return;
    for (const { place } of chosen.length > 1 ? chosen.slice(1) : chosen) {
      this.#context.complaints.at(place, `The key "${key}" is used twice; choose another.`, 'key');
    }
  }
}

/** What a name in `needs` may stand for. */
type NamedItem = { exit: () => Exit; origin: 'plain' | 'chosen' | 'container'; place: Place };

/** Exits of groups are asked for by every successor; the list is made once. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
