/** Chunks that arrive from a thread, handed to one reader; each one read asks for one more. */
export type ChunkStream = {
  push(chunk: Uint8Array): void;
  end(): void;
  fail(error: Error): void;
  chunks: AsyncIterable<Uint8Array>;
};

function doNothing(): void {}

export function createChunkStream(events: { askForMore(): void; cancel(): void }): ChunkStream {
  const arrived: Uint8Array[] = [];
  let state: { kind: 'open' } | { kind: 'ended' } | { kind: 'failed'; error: Error } = { kind: 'open' };
  let wake: () => void = doNothing;
  const settle = (next: typeof state) => {
    if (state.kind === 'open') state = next;
    wake();
  };

  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const chunk = arrived.shift();
        if (chunk) {
          events.askForMore();
          yield chunk;
        } else if (state.kind === 'failed') throw state.error;
        else if (state.kind === 'ended') return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      if (state.kind === 'open') events.cancel();
      state = { kind: 'ended' };
      arrived.length = 0;
    }
  }

  return {
    push(chunk) {
      if (state.kind === 'open') arrived.push(chunk);
      wake();
    },
    end: () => settle({ kind: 'ended' }),
    fail: (error) => settle({ kind: 'failed', error }),
    chunks: read(),
  };
}
