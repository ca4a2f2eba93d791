/** Chunks that arrive from a thread, handed to one reader; each one read asks for one more. */
export type ChunkStream = {
  push: (chunk: Uint8Array) => void;
  end: () => void;
  fail: (error: Error) => void;
  chunks: AsyncIterable<Uint8Array>;
};

type State = { kind: 'open' } | { kind: 'ended' } | { kind: 'failed'; error: Error };

/** Not a generator: one that was never begun cannot notice that its reader left, and the thread would wait for ever. */
export function createChunkStream(events: { askForMore: () => void; cancel: () => void }): ChunkStream {
  const arrived: Uint8Array[] = [];
  let state: State = { kind: 'open' };
  let wake: () => void = doNothing;

  function settle(outcome: State): void {
    if (state.kind === 'open') state = outcome;
    wake();
  }

  async function next(): Promise<IteratorResult<Uint8Array, undefined>> {
    for (;;) {
      const chunk = arrived.shift();
      if (chunk) {
        events.askForMore();
        return { done: false, value: chunk };
      }
      if (state.kind === 'failed') throw state.error;
      if (state.kind === 'ended') return { done: true, value: undefined };
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }

  async function leave(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (state.kind === 'open') events.cancel();
    arrived.length = 0;
    settle({ kind: 'ended' });
    return { done: true, value: undefined };
  }

  return {
    push(chunk) {
      if (state.kind === 'open') arrived.push(chunk);
      wake();
    },
    end: () => settle({ kind: 'ended' }),
    fail: (error) => settle({ kind: 'failed', error }),
    chunks: { [Symbol.asyncIterator]: () => ({ next, return: leave }) },
  };
}

function doNothing(): void {}
