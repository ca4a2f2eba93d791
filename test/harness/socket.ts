import { connect } from 'node:net';
import { expectCommonRules } from './response-check.ts';

export type SocketAnswer = { status: number; headers: Record<string, string>; text: string };

/** Writes bytes as they stand and returns all answers until the server closes; the last request should say `Connection: close`. */
export function exchange(address: string, bytes: string | Buffer | (string | Buffer)[]): Promise<SocketAnswer[]> {
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const received: Buffer[] = [];
    const socket = connect(Number(port), hostname);
    socket.setTimeout(10_000, () => socket.destroy(new Error('the server neither answered nor closed')));
    socket.on('data', (chunk) => received.push(chunk));
    // A server that has said its last word may close while we still write.
    socket.on('error', (error: Error & { code?: string }) =>
      error.code === 'ECONNRESET' || error.code === 'EPIPE' ? undefined : reject(error),
    );
    socket.on('close', () => {
      const answers = readAnswers(Buffer.concat(received));
      try {
        for (const answer of answers) expectCommonRules(answer, `raw bytes ${String(bytes).slice(0, 60)}`);
        resolve(answers);
      } catch (error) {
        reject(error);
      }
    });
    for (const part of [bytes].flat()) socket.write(part);
  });
}

function readAnswers(bytes: Buffer): SocketAnswer[] {
  const answers: SocketAnswer[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    const end = rest.indexOf('\r\n\r\n');
    if (end < 0) throw new Error(`not an HTTP answer: ${rest.toString()}`);
    const [statusLine, ...lines] = rest.subarray(0, end).toString().split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const status = Number(statusLine.split(' ')[1]);
    rest = rest.subarray(end + 4);
    if (status === 100) continue;
    const length = Number(headers['content-length'] ?? 0);
    answers.push({ status, headers, text: rest.subarray(0, length).toString() });
    rest = rest.subarray(length);
  }
  return answers;
}
