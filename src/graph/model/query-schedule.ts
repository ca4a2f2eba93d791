import type { FromModel } from './protocol.ts';
import type { QueryOutcome, QueryStep } from './query.ts';

type Job = {
  id: number;
  teamId: string;
  version: number;
  steps: Generator<QueryStep, QueryOutcome>;
  /** Chunks that the reader of a stream has asked for and not got; undefined for an answer in one piece. */
  credits: number | undefined;
  chunks: Uint8Array[];
  /** Its walk is over: it reads nothing any more that a change could alter. */
  isWalked: boolean;
};

const LARGEST_COPY_BYTES = 16_384;

/**
 * Shares a thread between questions. A question runs at once; a long walk pauses after each slice and goes to the end
 * of the line, so that a short question waits for a slice and not for a walk. A stream pauses when its reader is slow.
 */
export function createQuerySchedule(post: (message: FromModel, transfer?: ArrayBuffer[]) => void) {
  const jobs = new Map<number, Job>();
  const line: Job[] = [];
  let isTicking = false;

  /** Goes on until the job pauses, waits for its reader, or ends. */
  function run(job: Job, until: 'pause' | 'walked' | 'end' = 'pause'): void {
    try {
      while (job.credits === undefined || job.credits > 0 || !job.isWalked) {
        const step = job.steps.next();
        if (step.done) return finish(job, step.value);
        if (step.value === undefined) {
          if (until !== 'pause') continue;
          return enqueue(job);
        }
        job.isWalked = true;
        deliver(job, step.value);
        if (until === 'walked') return enqueue(job);
        // A whole answer of many chunks also lets others in.
        if (job.chunks.length > 0 && job.chunks.length % 16 === 0) return enqueue(job);
      }
    } catch (error) {
      jobs.delete(job.id);
      post({ type: 'failed', id: job.id, message: error instanceof Error ? error.message : String(error) });
    }
  }

  function deliver(job: Job, chunk: Uint8Array): void {
    if (job.credits === undefined) {
      job.chunks.push(chunk);
      return;
    }
    job.credits--;
    post({ type: 'chunk', id: job.id, version: job.version, chunk }, transferable(chunk));
  }

  function finish(job: Job, { isFound, value }: QueryOutcome): void {
    jobs.delete(job.id);
    if (job.credits !== undefined) return post({ type: 'end', id: job.id, version: job.version, isFound });
    const bytes = job.chunks.length === 0 ? undefined : joined(job.chunks);
    // A small answer is cheaper to copy than to give away.
    const transfer = bytes && bytes.length > LARGEST_COPY_BYTES ? transferable(bytes) : undefined;
    post({ type: 'answer', id: job.id, answer: { version: job.version, isFound, value, bytes } }, transfer);
  }

  function enqueue(job: Job): void {
    line.push(job);
    if (isTicking) return;
    isTicking = true;
    setImmediate(tick);
  }

  function tick(): void {
    isTicking = false;
    const job = line.shift();
    if (job && jobs.has(job.id)) run(job);
    if (line.length > 0 && !isTicking) {
      isTicking = true;
      setImmediate(tick);
    }
  }

  return {
    start(job: Omit<Job, 'chunks' | 'isWalked'>): void {
      const started = { ...job, chunks: [], isWalked: false };
      jobs.set(job.id, started);
      run(started);
    },
    credit(id: number): void {
      const job = jobs.get(id);
      if (job?.credits === undefined) return;
      job.credits++;
      // With more than one it is running or in line already.
      if (job.credits === 1 && job.isWalked && !line.includes(job)) run(job);
    },
    cancel(id: number): void {
      const job = jobs.get(id);
      jobs.delete(id);
      // Gives back what it holds.
      job?.steps.return({ isFound: false });
    },
    /** Before a change is applied: questions that are still walking get their answer as of before it. */
    finishWalks(teamId: string): void {
      for (const job of jobs.values()) {
        if (job.teamId !== teamId || job.isWalked) continue;
        const place = line.indexOf(job);
        if (place >= 0) line.splice(place, 1);
        run(job, 'walked');
      }
    },
    isStreaming(teamId: string): boolean {
      for (const job of jobs.values()) if (job.teamId === teamId && job.isWalked) return true;
      return false;
    },
  };
}

function joined(chunks: Uint8Array[]): Uint8Array {
  if (chunks.length === 1) return chunks[0];
  const bytes = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

function transferable(chunk: Uint8Array): ArrayBuffer[] {
  return chunk.buffer instanceof ArrayBuffer ? [chunk.buffer] : [];
}
