import { request } from 'node:http';
import { adminToken } from './app.ts';
import { expectCommonRules } from './response-check.ts';

export type RawAnswer = { status: number; headers: Record<string, unknown>; text: string };

/** One request over a real socket, its path as it stands: most clients tidy an address up before they send it. */
export function rawRequest(
  address: string,
  options: {
    method?: string;
    path: string;
    token?: string;
    headers?: Record<string, string>;
    /** Written one after the other, each in a turn of its own. */
    pieces?: Uint8Array[];
  },
): Promise<RawAnswer> {
  const { method = 'GET', path, token = adminToken, headers = {}, pieces = [] } = options;
  const { hostname, port } = new URL(address);
  return new Promise((resolve, reject) => {
    const sent = request(
      { hostname, port, method, path, agent: false, headers: { authorization: `Bearer ${token}`, ...headers } },
      (response) => {
        const received: Buffer[] = [];
        response.on('data', (chunk: Buffer) => received.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(received).toString();
          const answer = { status: response.statusCode ?? 0, headers: response.headers, text };
          try {
            expectCommonRules(answer, `${method} ${path.slice(0, 200)}`);
            resolve(answer);
          } catch (error) {
            reject(error);
          }
        });
      },
    );
    sent.on('error', reject);
    void (async () => {
      for (const piece of pieces) await new Promise<void>((done) => sent.write(piece, () => setImmediate(done)));
      sent.end();
    })();
  });
}
