import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../clock.ts';
import type { ErrorDetail } from '../../errors.ts';
import type { Json } from '../plan.ts';
import type { Definition } from './compile.ts';
import { compareText, type Fault, sortFaults } from './fault.ts';
import { checkInSteps, type HomeReport } from './home-check.ts';
import { readHome, stampHome } from './home-files.ts';
import { compilePayloadSchema } from './payload-schema.ts';
import type { QueueLimits } from './queues.ts';

export type Definitions = {
  /** Sorted by fullname; those of the service itself among them. */
  list(): Definition[];
  find(fullname: string): Definition | undefined;
  faults(): Fault[];
  /** By name; a queue that is not there has no limits. */
  queues(): ReadonlyMap<string, QueueLimits>;
  /** Names of the tasks that files export or tasks/remote.yml lists. */
  tasks(): string[];
  /** Every complaint of the definition's schema; none when it fits, has no schema, or is unknown. */
  validatePayload(fullname: string, payload: Json): ErrorDetail[];
  /** Called after a reload that changed anything. Answers how to stop. */
  onChange(listener: () => void): () => void;
  /** Reads the home again, at once, if it changed. */
  refresh(): Promise<void>;
  close(): void;
};

type Log = { info(fields: object, message: string): void; warn(fields: object, message: string): void };
type Options = {
  home: string;
  log: Log;
  /** Those that come with the service (`compileBuiltIns`). */
  builtIns?: Definition[];
  clock?: Clock;
  /** Notices what the operating system does not tell, such as changes on network drives. */
  pollMs?: number;
  debounceMs?: number;
};

/** A file gone wrong may have thousands; the log needs no more to say so, and `faults()` has them all. */
const maxLogged = 20;

/** The first load is done when the promise resolves. A missing home is an empty one. */
export async function createDefinitions(options: Options): Promise<Definitions> {
  const { home, log, builtIns = [], clock = Date.now, pollMs = 5000, debounceMs = 150 } = options;
  let report: HomeReport | undefined;
  let current = new Map<string, Definition>();
  let sorted: Definition[] = [];
  let stamp = '';
  let last: Promise<void> = Promise.resolve();
  let isClosed = false;
  const listeners = new Set<() => void>();

  async function load(): Promise<void> {
    const stamps = await stampHome(home);
    const newStamp = JSON.stringify(stamps);
    if (newStamp === stamp || isClosed) return;
    const next = await checkInSlices(checkInSteps(await readHome(home, stamps), clock()));
    stamp = newStamp;
    current = keepFormer(current, next);
    for (const definition of builtIns) current.set(definition.fullname, definition);
    sorted = [...current.values()].toSorted((a, b) => compareText(a.fullname, b.fullname));
    report = next;
    log.info({ workflows: sorted.length - builtIns.length, faults: next.faults.length }, 'definitions loaded');
    for (const { file, line, column, message } of next.faults.slice(0, maxLogged))
      log.warn({ file, line, column, fault: message }, 'definition fault');
    for (const listener of listeners) listener();
  }

  /** One after the other, so that whoever asks gets a run that begins after the asking. */
  function refresh(): Promise<void> {
    const next = last.then(load);
    last = next.catch(() => {});
    return next;
  }

  await refresh();
  const watching = watchHome(home, debounceMs, pollMs, () => {
    refresh().catch((error: unknown) => log.warn({ err: error }, 'definitions could not be reloaded'));
  });
  return {
    list: () => sorted,
    find: (fullname) => current.get(fullname),
    faults: () => sortFaults(report?.faults ?? []),
    queues: () => report?.queues ?? new Map(),
    tasks: () => report?.tasks ?? [],
    validatePayload(fullname, payload) {
      const schema = current.get(fullname)?.plan.payloadSchema;
      if (schema === undefined) return [];
      const compiled = compilePayloadSchema(schema);
      return 'faults' in compiled ? [] : compiled.validate(payload);
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    refresh,
    close() {
      isClosed = true;
      watching.close();
      listeners.clear();
    },
  };
}

/** Requests wait for one slice at most, not for a whole home of hundreds of definitions. */
const sliceMs = 10;

async function checkInSlices(steps: Generator<undefined, HomeReport>): Promise<HomeReport> {
  let until = performance.now() + sliceMs;
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() < until) continue;
    await setImmediate();
    until = performance.now() + sliceMs;
  }
}

/** What is good now, and for what is bad now the last good one. What is no longer there is gone. */
function keepFormer(former: Map<string, Definition>, next: HomeReport): Map<string, Definition> {
  const kept = new Map(next.definitions);
  for (const [fullname, definition] of former) {
    const isBad = next.faulty.has(fullname) || next.unreadable.has(definition.file);
    if (isBad && !kept.has(fullname)) kept.set(fullname, definition);
  }
  return kept;
}

/** `notify` comes a moment after the last of a burst of changes, and now and then besides. */
function watchHome(home: string, debounceMs: number, pollMs: number, notify: () => void): { close(): void } {
  let watchers: FSWatcher[] = [];
  let timer: NodeJS.Timeout | undefined;
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(notify, debounceMs);
    timer.unref();
  };
  // The home itself is not watched recursively: it may be a whole project, with node_modules in it.
  const folders: [string, boolean][] = [
    [home, false],
    ...['workflows', 'tasks', 'schemas'].map((folder): [string, boolean] => [join(home, folder), true]),
  ];
  for (const [folder, recursive] of folders) {
    try {
      const watcher = watch(folder, { recursive, persistent: false }, soon);
      watcher.on('error', () => watcher.close());
      watchers.push(watcher);
    } catch {
      // Not there (yet), or the system has no watches left: the poll sees to it.
    }
  }
  const poll = setInterval(notify, pollMs);
  poll.unref();
  return {
    close() {
      clearTimeout(timer);
      clearInterval(poll);
      for (const watcher of watchers) watcher.close();
      watchers = [];
    },
  };
}
