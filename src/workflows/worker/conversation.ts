import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../clock.ts';
import type { ClaimAnswer, ReportAnswer } from '../worker.schemas.ts';
import type { Assignments } from './assignments.ts';
import { type Entry, failure, type Outbox, reportBody } from './outbox.ts';
import type { ApiAnswer, WorkerApi } from './worker-api.ts';
import type { WorkerLog } from './worker-log.ts';

/** The service will not have this worker: trying again would not help. */
export class WorkerRefused extends Error {
  override name = 'WorkerRefused';
}

const mostAtOnce = 1000;
const logDelayMs = 200;
const reportPatienceMs = 30_000;
const firstPauseMs = 100;
const longestPauseMs = 10_000;

/**
 * The worker's side of the protocol. One report is under way at a time (two would wait for each other's instances); it carries all that
 * finished since the last one, and brings new tasks back. A claim waits beside it while there is room.
 *
 *   report ▶▶▶▶ answer: 3 tasks  report ▶▶▶▶ …       free slots are promised either to the report or to the claim,
 *   claim  ▶▶▶▶▶▶▶▶▶▶▶▶▶▶▶▶▶▶ answer: 1 task …       never to both
 */
export function createConversation(options: {
  api: WorkerApi;
  worker: string;
  queues: string[] | undefined;
  concurrency: number;
  waitSeconds: number;
  outbox: Outbox;
  assignments: Assignments;
  log: WorkerLog;
  clock: Clock;
  random: () => number;
  onRefused(error: WorkerRefused): void;
}) {
  const { api, outbox, assignments, log, clock } = options;
  const closing = new AbortController();
  let head: string | undefined;
  let isStopping = false;
  let isReporting = false;
  let claim: AbortController | undefined;
  let claimFailures = 0;
  let claimNotBefore = 0;
  const promised = { report: 0, claim: 0 };
  let leaseMs = 10_000;
  let renewedAt = clock();
  let reportedAt = clock();

  const free = (): number => Math.max(0, options.concurrency - assignments.count() - promised.report - promised.claim);

  /** Says what is to be said and asks for what can be taken. Called whenever something happened, and a few times a second. */
  function pump(): void {
    if (closing.signal.aborted) return;
    if (!isReporting && isReportDue()) void report();
    if (!isStopping && !claim && head !== undefined && clock() >= claimNotBefore) void claimMore(head);
  }

  function isReportDue(): boolean {
    if (head === undefined) return false;
    const now = clock();
    if (outbox.hasResults()) return true;
    if ((outbox.hasLogs() || assignments.hasNews()) && now - reportedAt >= logDelayMs) return true;
    return assignments.count() > 0 && now - renewedAt >= leaseMs / 3;
  }

  async function report(): Promise<void> {
    isReporting = true;
    reportedAt = clock();
    const entries = outbox.take();
    const isRenewal = reportedAt - renewedAt >= leaseMs / 3;
    const running = assignments.describe(isRenewal ? 'all' : 'news');
    if (isRenewal) renewedAt = reportedAt;
    promised.report = isStopping ? 0 : Math.min(mostAtOnce, free());
    const body = reportBody(head ?? '', entries, running, promised.report);
    const outcome = await persist(body);
    promised.report = 0;
    isReporting = false;
    if (outcome && 'said' in outcome) {
      handleRejected(outcome.said.rejected, entries, running);
      take(outcome.said);
    } else if (outcome) refused(outcome.answer, entries);
    pump();
  }

  /** Until there is an answer that is worth reading. Undefined when the worker closes first, or is not wanted. */
  async function persist(body: string): Promise<{ said: ReportAnswer } | { answer: ApiAnswer } | undefined> {
    for (let failures = 0; ; ) {
      try {
        const answer = await api.post('/api/worker/report', body, {
          patienceMs: reportPatienceMs,
          signal: closing.signal,
        });
        if (answer.status === 200) return { said: readAnswer(answer) };
        if (!isTemporary(answer.status)) return checkWelcome(answer) ? { answer } : undefined;
        failures++;
        await pause(failures, answer, `HTTP ${answer.status}`);
      } catch (error) {
        if (closing.signal.aborted) return undefined;
        failures++;
        // A kept connection that the other side closed meanwhile: the first failure means nothing.
        if (failures > 1 || !isReset(error)) await pause(failures, undefined, reasonOf(error)).catch(() => undefined);
      }
    }
  }

  async function claimMore(opening: string): Promise<void> {
    // While results flow, new tasks come back with the reports; the claim is for work that comes while long tasks run.
    const isBusy = assignments.count() > 0 || isReporting;
    const max = Math.min(mostAtOnce, isBusy ? Math.ceil(free() / 4) : free());
    if (max === 0) return;
    const mine = new AbortController();
    claim = mine;
    promised.claim = max;
    const body = `{${opening},"max":${max},"wait_seconds":${options.waitSeconds}}`;
    const patienceMs = options.waitSeconds * 1000 + reportPatienceMs;
    let answer: ApiAnswer | undefined;
    let said: ClaimAnswer | undefined;
    let failed: string | undefined;
    try {
      answer = await api.post('/api/worker/claim', body, { patienceMs, signal: mine.signal });
      if (answer.status === 200) said = readAnswer(answer);
      else if (isTemporary(answer.status)) failed = `HTTP ${answer.status}`;
      else checkWelcome(answer, true);
    } catch (error) {
      if (!mine.signal.aborted) failed = reasonOf(error);
    }
    claim = undefined;
    promised.claim = 0;
    if (failed !== undefined) {
      claimFailures++;
      const pauseMs = pauseFor(claimFailures, answer);
      claimNotBefore = clock() + pauseMs;
      if (claimFailures > 1) log.warn({ reason: failed, pauseMs }, 'the service does not answer; trying again');
      setTimeout(pump, pauseMs).unref();
      return;
    }
    claimFailures = 0;
    if (said) take(said);
    pump();
  }

  function take({ lease_seconds, tasks, canceled }: ClaimAnswer): void {
    leaseMs = lease_seconds * 1000;
    if (assignments.count() === 0) renewedAt = clock();
    if (isStopping) for (const task of tasks) outbox.release(task);
    else assignments.accept(tasks);
    assignments.cancel(canceled);
  }

  function handleRejected(rejected: ReportAnswer['rejected'], entries: Entry[], running: Array<{ id: string }>): void {
    for (const { id, reason } of rejected) {
      const isResult = entries.some((entry) => entry.id === id && entry.kind !== 'logs');
      log.warn({ task: id, reason }, isResult ? 'a result was rejected' : 'a task was rejected');
      // Of a result that was rejected, a newer attempt may well be running here.
      if (!isResult && running.some((one) => one.id === id)) assignments.lose(id);
    }
  }

  /** The service took none of it. One by one shows which entry it cannot take; that one becomes a failure that says so. */
  function refused(answer: ApiAnswer, entries: Entry[]): void {
    const message = messageOf(answer);
    if (entries.length > 1) return outbox.sendSingly(entries);
    const [entry] = entries;
    if (entry?.kind === 'completed') {
      outbox.sendSingly([failure(entry, { message: `the service did not take the result: ${message}` }, false)]);
    } else log.error({ task: entry?.id, kind: entry?.kind, status: answer.status, message }, 'a report was refused');
  }

  function checkWelcome(answer: ApiAnswer, isClaim = false): boolean {
    const { status } = answer;
    if (![401, 403, 404].includes(status) && !(isClaim && status >= 300)) return true;
    const hint =
      status === 401
        ? ' Give the worker a valid token (FAULTLINE_TOKEN or --token).'
        : status === 403
          ? ' Its token needs the scope Service.'
          : '';
    options.onRefused(new WorkerRefused(`The service refused this worker: ${messageOf(answer)}${hint}`));
    return false;
  }

  async function pause(failures: number, answer: ApiAnswer | undefined, reason: string): Promise<void> {
    const pauseMs = pauseFor(failures, answer);
    log.warn({ reason, pauseMs }, 'a report was not taken; it is kept and sent again');
    await sleep(pauseMs, undefined, { signal: closing.signal });
  }

  /** Growing, and different for each worker, so that they do not all come back at the same moment. */
  function pauseFor(failures: number, answer: ApiAnswer | undefined): number {
    const longest = Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(failures, 10));
    const asked = (answer?.retryAfterSeconds ?? 0) * 1000;
    return Math.round(Math.max(asked, longest / 2) + (options.random() * longest) / 2);
  }

  return {
    pump,
    /** Which tasks are asked for. A claim that waits for others is asked anew. */
    offer(tasks: string[]): void {
      const isFirst = head === undefined;
      const queues = options.queues ? `,"queues":${JSON.stringify(options.queues)}` : '';
      const next = `"worker":${JSON.stringify(options.worker)}${queues},"tasks":${JSON.stringify(tasks)}`;
      if (next === head) return;
      head = next;
      if (!isFirst) claim?.abort();
      pump();
    },
    stopClaiming(): void {
      isStopping = true;
      claim?.abort();
    },
    isIdle: (): boolean => !isReporting && !outbox.hasResults() && !outbox.hasLogs(),
    close(): void {
      isStopping = true;
      claim?.abort();
      closing.abort();
      api.close();
    },
  };
}

/**
 * Only the outline is checked: the service is ours and checks what it sends in its tests, and thousands of tasks a second need not
 * be checked again. What answers without that outline is no service at all, such as a proxy that shows a page of its own.
 */
function readAnswer({ text }: ApiAnswer): ReportAnswer {
  const said: unknown = JSON.parse(text);
  if (typeof said === 'object' && said !== null && 'tasks' in said && Array.isArray(said.tasks)) {
    return { rejected: [], canceled: [], ...said } as unknown as ReportAnswer;
  }
  throw new Error('the answer is not one of Faultline');
}

const isTemporary = (status: number): boolean => status === 429 || status === 408 || status >= 500;

function isReset(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}

function reasonOf(error: unknown): string {
  const inner = error instanceof AggregateError ? error.errors[0] : error;
  return inner instanceof Error ? inner.message || inner.name : String(inner);
}

function messageOf({ status, text }: ApiAnswer): string {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && 'message' in body)
      return `${String(body.message)} (HTTP ${status})`;
  } catch {
    // Not from Faultline, then.
  }
  return `HTTP ${status}`;
}
