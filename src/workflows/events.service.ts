import type { Log } from '../db/open.ts';
import type { EventBatch, EventPosition, EventsStore } from './events.store.ts';
import type { Json } from './plan.ts';

export type WorkflowEvent = {
  /** `<batch>-<place in it>`: where a reader that comes back goes on. */
  id: string;
  event: 'instance' | 'task' | 'custom';
  data: { [key: string]: Json } & { instance_id: string };
};
export type EventFilter = { instanceId?: string | undefined; project?: string | undefined; name?: string | undefined };
type Place = { position: EventPosition; batch: string; index: number };
type Subscriber = { push(events: WorkflowEvent[]): void; end(): void };

const batchLimit = 200;
const pollMs = 500;

export type EventsService = ReturnType<typeof createEventsService>;

/** State changes as they are committed, by this process or another, to whoever listens. Reads the table only while somebody does. */
export function createEventsService(deps: { store: EventsStore; log: Log }) {
  const { store, log } = deps;
  const subscribers = new Map<Subscriber, (events: WorkflowEvent[]) => void>();
  /** Up to where all subscribers were told; unknown while there are none. */
  let position: EventPosition | undefined;
  let finding: Promise<void> | undefined;
  let reading: Promise<void> | undefined;
  let isWokenAgain = false;
  let poll: NodeJS.Timeout | undefined;

  async function readOn(): Promise<void> {
    while (subscribers.size > 0) {
      const from = position;
      if (!from) return;
      const batches = await store.listAfter(from, batchLimit);
      if (position !== from) continue; // everybody left, and somebody else came
      if (batches.length === 0) return;
      const last = batches[batches.length - 1];
      position = { xid: last.xid, id: last.id };
      const events = batches.flatMap(eventsOf);
      for (const push of subscribers.values()) push(events);
      if (batches.length < batchLimit) return;
    }
  }

  /** Of several that begin at once one asks: a second answer would move everybody over what lies between. */
  async function findEnd(): Promise<void> {
    const end = await store.end();
    position ??= end;
  }

  /** Something was committed. */
  function wake(): void {
    if (subscribers.size === 0) return;
    if (reading) {
      isWokenAgain = true;
      return;
    }
    reading = readOn()
      .catch((error: unknown) => log.warn({ err: error }, 'workflow events could not be read'))
      .finally(() => {
        reading = undefined;
        if (!isWokenAgain) return;
        isWokenAgain = false;
        wake();
      });
  }

  return {
    wake,
    isListening: () => subscribers.size > 0,

    /**
     * From now on, or from behind the event that `lastId` names. What was committed before is given first, then what comes; nothing
     * twice, nothing left out. Answers 'reset' when that place is no longer kept.
     */
    async subscribe(subscriber: Subscriber, lastId: string | undefined): Promise<'reset' | 'ok'> {
      const start = lastId === undefined ? undefined : await placeOf(lastId);
      while (!position) {
        finding ??= findEnd().finally(() => {
          finding = undefined;
        });
        await finding;
      }
      // From here to the next line but one nothing else runs: what is told from now on is what comes after `end`.
      const end = position;
      // What comes while the past is read waits until it has been told.
      let waiting: WorkflowEvent[] | undefined = start && [];
      subscribers.set(subscriber, (events) => (waiting ? waiting.push(...events) : subscriber.push(events)));
      poll ??= setInterval(wake, pollMs).unref();
      if (start) await replay(subscriber, start, end);
      if (waiting && waiting.length > 0) subscriber.push(waiting);
      waiting = undefined;
      wake();
      return lastId !== undefined && start === undefined ? 'reset' : 'ok';
    },

    unsubscribe(subscriber: Subscriber): void {
      subscribers.delete(subscriber);
      if (subscribers.size > 0) return;
      position = undefined;
      clearInterval(poll);
      poll = undefined;
    },

    close(): void {
      clearInterval(poll);
      for (const subscriber of subscribers.keys()) subscriber.end();
      subscribers.clear();
    },
  };

  /** All that was committed behind `start`, up to and including `end`. */
  async function replay(subscriber: Subscriber, start: Place, end: EventPosition): Promise<void> {
    // The batch of the last event itself once more, for those of its changes that come after it.
    let from = before(start.position);
    for (;;) {
      const batches = await store.listAfter(from, batchLimit);
      const past = batches.filter((batch) => compare(batch, end) <= 0);
      const events = past.flatMap(eventsOf).filter(({ id }) => isAfter(id, start));
      if (events.length > 0) subscriber.push(events);
      if (past.length < batchLimit) return;
      from = past[past.length - 1];
    }
  }

  async function placeOf(lastId: string): Promise<Place | undefined> {
    const [, batch, index] = /^(\d{1,18})-(\d{1,6})$/.exec(lastId) ?? [];
    const found = batch === undefined ? undefined : await store.find(batch);
    return found && { position: found, batch, index: Number(index) };
  }
}

const before = ({ xid, id }: EventPosition): EventPosition => ({ xid, id: String(BigInt(id) - 1n) });

function compare(a: EventPosition, b: EventPosition): number {
  const byXid = BigInt(a.xid) - BigInt(b.xid);
  const difference = byXid === 0n ? BigInt(a.id) - BigInt(b.id) : byXid;
  return difference < 0n ? -1 : Number(difference > 0n);
}

function isAfter(id: string, start: Place): boolean {
  const [batch, index] = id.split('-');
  return batch !== start.batch || Number(index) > start.index;
}

/** How the database notes a change: migrations/0003_workflows.sql. */
function eventsOf({ id, at, changes }: EventBatch): WorkflowEvent[] {
  const time = at.toISOString();
  return changes.map((change, index): WorkflowEvent => {
    const [kind, instance, second, third, fourth, fifth, sixth] = change;
    const data: WorkflowEvent['data'] = { instance_id: instance as string, at: time }; // always an id
    const base = { id: `${id}-${index}`, data };
    if (kind === 'i') {
      Object.assign(data, { project: second, name: third, status: fourth });
      return { ...base, event: 'instance' };
    }
    if (kind === 'c') {
      Object.assign(data, { type: second, data: third });
      return { ...base, event: 'custom' };
    }
    Object.assign(data, { task_id: second, key: third, status: fourth, attempt: fifth });
    if (typeof sixth === 'number') data['progress'] = sixth;
    return { ...base, event: 'task' };
  });
}

export const matches = ({ event, data }: WorkflowEvent, filter: EventFilter): boolean =>
  (filter.instanceId === undefined || data.instance_id === filter.instanceId) &&
  (filter.project === undefined || event !== 'instance' || data['project'] === filter.project) &&
  (filter.name === undefined || event !== 'instance' || data['name'] === filter.name);
