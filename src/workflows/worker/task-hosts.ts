import type { WorkerTask } from '../worker.schemas.ts';
import type {
  AbortReason,
  BrokenFile,
  Done,
  LoadedTasks,
  NumberedTask,
  RunLines,
  RunProgress,
} from './host-messages.ts';
import { type HostProcess, startHostProcess } from './host-process.ts';
import { listTaskFiles, type TaskFiles } from './task-files.ts';
import type { WorkerLog } from './worker-log.ts';

export type HostSettings = {
  home: string;
  allowShell: boolean;
  outboundAllow: string[];
  memoryMb: number;
  stallSeconds: number;
};

export type HostEvents = {
  onDone(done: Done[]): void;
  onLines(lines: RunLines[]): void;
  onProgress(progress: RunProgress[]): void;
  /** After the first start and after each change of the files. */
  onTasks(tasks: LoadedTasks): void;
  /** Its host died, and it may not be to blame: may it run again, or is it over? */
  mayRunAgain(run: number): boolean;
  /** Its host was not ready, or it waited to be repeated: its time begins now. */
  onBegin(run: number): void;
};

type Host = {
  process: HostProcess;
  isAlone: boolean;
  isReady: boolean;
  /** Gets no more tasks, and ends when it has none. */
  isRetired: boolean;
  importing: string | undefined;
  runs: Map<number, WorkerTask>;
  /** Runs that were given up but may still be going on in there. */
  abandoned: number;
  isPinged: boolean;
  silentMs: number;
  busyForMs: number;
  sincePingMs: number;
  killedBecause: string | undefined;
};

export type TaskHosts = ReturnType<typeof createTaskHosts>;

const pingEveryMs = 500;
/** How many processes for suspects are begun at once, and how many there may be. */
const mostNewAlone = 4;
const mostAlone = 32;
const newForMs = 5000;
const mostRetired = 4;
/** A host that is silent for this long gets no new tasks. */
const busyMs = 1500;
const importPatienceMs = 30_000;

const isNew = (host: Host): boolean => host.runs.size > 0 && host.busyForMs < newForMs;

/**
 * The processes in which tasks run.
 *
 *   shared host   A B C D   dies or falls silent: who was it? Each of A B C D is a suspect
 *   alone         A         ran again by itself: ends well, was innocent
 *   alone         B         dies again: B is failed, and only B
 */
export function createTaskHosts(settings: HostSettings, events: HostEvents, log: WorkerLog) {
  const { home, allowShell, outboundAllow } = settings;
  const fixed = { home, allowShell, outboundAllow, workerPid: process.pid };
  const hosts = new Set<Host>();
  const suspects: NumberedTask[] = [];
  const known: Record<string, string[]> = {};
  let broken: BrokenFile[] = [];
  let current: TaskFiles = { files: [], signature: '' };
  let shared: Host | undefined;
  let isClosed = false;

  /** Looks at the files again; if they changed, a fresh host takes over and the old one drains. */
  async function refresh(): Promise<void> {
    const found = await listTaskFiles(home);
    if (isClosed || (shared && found.signature === current.signature)) return;
    const isFirst = current.signature === '' && !shared;
    current = found;
    broken = [];
    if (!isFirst) log.info({ files: found.files.length }, 'task files changed');
    replaceShared();
  }

  function replaceShared(): Host {
    if (shared) retire(shared);
    shared = startHost(false);
    return shared;
  }

  function startHost(isAlone: boolean): Host {
    const host: Host = {
      process: startHostProcess({
        setup: { ...fixed, files: current.files, broken, known, isAlone },
        memoryMb: settings.memoryMb,
        onMessage: (message) => {
          host.silentMs = 0;
          if (message.type === 'batch') {
            for (const { run } of message.done) host.runs.delete(run);
            // What a failed task left behind must not be blamed on the next suspect.
            if (host.isAlone && message.done.some((one) => 'error' in one)) retire(host);
            if (message.logs.length > 0) events.onLines(message.logs);
            if (message.progress.length > 0) events.onProgress(message.progress);
            if (message.done.length > 0) events.onDone(message.done);
            afterDone(host);
          } else if (message.type === 'pong') host.isPinged = false;
          else if (message.type === 'importing') host.importing = message.file;
          else if (message.type === 'ready') {
            host.isReady = true;
            for (const run of host.runs.keys()) events.onBegin(run);
            for (const { file, names, fault } of message.tasks.files) if (!fault) known[file] = names;
            if (host === shared) events.onTasks(message.tasks);
          }
        },
        onOutput: (text) => log.debug({ text }, 'output of a task host'),
        onExit: ({ reason }) => bury(host, host.killedBecause ?? reason),
      }),
      isAlone,
      isReady: false,
      isRetired: false,
      importing: undefined,
      runs: new Map(),
      abandoned: 0,
      isPinged: false,
      silentMs: 0,
      busyForMs: 0,
      sincePingMs: 0,
      killedBecause: undefined,
    };
    hosts.add(host);
    return host;
  }

  function start(tasks: NumberedTask[]): void {
    give(shared ?? replaceShared(), tasks);
  }

  function give(host: Host, tasks: NumberedTask[]): void {
    for (const { run, task } of tasks) host.runs.set(run, task);
    host.process.send({ type: 'run', runs: tasks });
  }

  function afterDone(host: Host): void {
    if (host.isAlone) return startSuspects();
    if (host.isRetired && host.runs.size === 0) host.process.kill();
  }

  function retire(host: Host): void {
    host.isRetired = true;
    if (shared === host) shared = undefined;
    if (host.runs.size === 0) host.process.kill();
  }

  function startSuspects(): void {
    const alone = [...hosts].filter((host) => host.isAlone && !host.isRetired);
    for (const host of alone) {
      if (host.runs.size > 0) continue;
      const next = suspects.shift();
      if (next) runAlone(host, next);
      else retire(host);
    }
    // Long runs do not keep the others waiting for ever.
    const room = Math.min(mostNewAlone - alone.filter(isNew).length, mostAlone - alone.length);
    for (const next of suspects.splice(0, Math.max(0, room))) runAlone(startHost(true), next);
  }

  function runAlone(host: Host, suspect: NumberedTask): void {
    host.busyForMs = 0;
    give(host, [suspect]);
    if (host.isReady) events.onBegin(suspect.run);
  }

  function bury(host: Host, reason: string): void {
    hosts.delete(host);
    if (shared === host) shared = undefined;
    if (isClosed) return;
    const orphans: NumberedTask[] = [...host.runs].map(([run, task]) => ({ run, task }));
    host.runs.clear();
    if (!host.isReady) return startAgain(host, orphans, reason);
    if (orphans.length > 0 || !host.isRetired) log.warn({ reason, tasks: orphans.length }, 'a task host ended');
    if (orphans.length === 1 && host.abandoned === 0) {
      events.onDone([{ run: orphans[0].run, error: { message: `the task ${reason}` }, retryable: true }]);
    } else suspects.push(...orphans.filter(({ run }) => events.mayRunAgain(run)));
    startSuspects();
    // One that dies without a task is started again with the next task or the next look at the files: no hurry, no loop.
    if (!shared && orphans.length > 0) shared = startHost(false);
  }

  /** It died before any task began: the file that it was importing is to blame. */
  function startAgain(host: Host, orphans: NumberedTask[], reason: string): void {
    const { importing } = host;
    if (importing !== undefined && !broken.some(({ file }) => file === importing)) {
      broken.push({ file: importing, message: `${importing} cannot be imported: importing it ${reason}` });
      log.error({ file: importing, reason }, 'a task file ended its host');
    } else log.error({ reason }, 'a task host did not start');
    const again = (): void => {
      if (isClosed) return;
      if (host.isAlone) {
        suspects.unshift(...orphans);
        startSuspects();
      } else start(orphans);
    };
    // Without a file to leave out the next one may die as well: no hurry.
    if (importing === undefined) setTimeout(again, 1000).unref();
    else again();
  }

  function abort(run: number, reason: AbortReason, message: string): void {
    hostOf(run)?.process.send({ type: 'abort', run, reason, message });
  }

  /** The run was reported without waiting for its end. Ends its process if that harms nobody else. */
  function giveUp(run: number): void {
    const place = suspects.findIndex((one) => one.run === run);
    if (place !== -1) suspects.splice(place, 1);
    const host = hostOf(run);
    if (!host) return;
    host.runs.delete(run);
    host.abandoned++;
    retire(host);
    if (!shared && !host.isAlone) shared = startHost(false);
  }

  const hostOf = (run: number): Host | undefined => [...hosts].find((host) => host.runs.has(run));

  /** Called a few times a second. `elapsedMs` is bounded by the caller, so that a pause of the worker itself blames nobody. */
  function tick(elapsedMs: number): void {
    if (suspects.length > 0) startSuspects();
    for (const host of hosts) {
      host.busyForMs += elapsedMs;
      if (!host.isReady) {
        host.silentMs += elapsedMs;
        if (host.silentMs > importPatienceMs) killFor(host, `took more than ${importPatienceMs / 1000} seconds`);
      } else if (host.isPinged) {
        host.silentMs += elapsedMs;
        checkSilence(host);
      } else if (host.runs.size > 0) {
        host.sincePingMs += elapsedMs;
        if (host.sincePingMs < pingEveryMs) continue;
        host.isPinged = true;
        host.sincePingMs = 0;
        host.silentMs = 0;
        host.process.send({ type: 'ping' });
      }
    }
  }

  function checkSilence(host: Host): void {
    const retired = [...hosts].filter((one) => one.isRetired).length;
    if (host === shared && host.silentMs > busyMs && host.runs.size > 0 && retired < mostRetired) replaceShared();
    // Alone it blocks only itself, until its time-out.
    if (host.runs.size + host.abandoned < 2 || host.silentMs <= settings.stallSeconds * 1000) return;
    killFor(host, `blocked its process for more than ${settings.stallSeconds} seconds`);
  }

  function killFor(host: Host, reason: string): void {
    host.killedBecause ??= reason;
    host.process.kill();
  }

  return {
    refresh,
    start,
    abort,
    giveUp,
    tick,
    /** For tests and messages. */
    pids: () => [...hosts].map((host) => host.process.pid),
    close(): void {
      isClosed = true;
      for (const host of hosts) host.process.kill();
    },
  };
}
