import { connect, type Socket } from 'node:net';
import type { Service } from '../../test/harness/service.ts';
import { median } from '../harness/measure.ts';

export type Asker = { ask(path: string): Promise<string>; close(): void };

/**
 * One client that asks over one connection, one question after the other. It writes and reads HTTP itself: Node's own client takes 0.1 to
 * 0.25 ms a request, as much as the service takes for a small question.
 */
export function createAsker({ url, adminToken }: Pick<Service, 'url' | 'adminToken'>): Asker {
  const { hostname, port, host } = new URL(url);
  const head = ` HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${adminToken}\r\n\r\n`;
  let socket: Socket | undefined;
  let received = '';
  let waiting: { resolve(body: string): void; reject(error: Error): void; path: string } | undefined;

  function read(chunk: string): void {
    received += chunk;
    const headEnd = received.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const length = Number(/\r\ncontent-length: (\d+)\r\n/i.exec(received.slice(0, headEnd + 2))?.[1]);
    const body = received.slice(headEnd + 4);
    if (Number.isNaN(length)) return fail(new Error(`an answer without its length: ${received}`));
    if (body.length < length) return;
    const [, status] = received.split(' ', 2);
    received = '';
    const asked = waiting;
    waiting = undefined;
    if (status === '200') asked?.resolve(body);
    else asked?.reject(new Error(`${asked.path} answered ${status}: ${body}`));
  }

  function fail(error: Error): void {
    waiting?.reject(error);
    waiting = undefined;
    received = '';
    socket?.destroy();
    socket = undefined;
  }

  function open(): Socket {
    // Bytes as characters: lengths count bytes, and what is asked here is ASCII.
    return connect(Number(port), hostname).setNoDelay().setEncoding('latin1').on('data', read).on('error', fail);
  }

  return {
    ask: (path) =>
      new Promise((resolve, reject) => {
        waiting = { resolve, reject, path };
        socket ??= open();
        socket.write(`GET ${path}${head}`);
      }),
    close: () => socket?.destroy(),
  };
}

/** The median time of so many runs, one after the other. */
export async function p50Of(times: number, run: () => Promise<unknown>): Promise<number> {
  const taken: number[] = [];
  for (let i = 0; i < times; i++) {
    const startedAt = performance.now();
    await run();
    taken.push(performance.now() - startedAt);
  }
  return median(taken);
}
