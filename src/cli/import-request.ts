import { type IncomingHttpHeaders, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { text } from 'node:stream/consumers';
import type { z } from 'zod';
import type { ClientConfig } from '../client-config.ts';
import { ingestResult } from '../graph/graph.schemas.ts';
import { authorize, reasonOf, refusalOf, ServerRefusal } from './client.ts';

export type IngestResult = z.infer<typeof ingestResult>;

/** Trying again may help: nothing answered, or the server is busy, or it failed. */
export class TemporaryFailure extends Error {
  override name = 'TemporaryFailure';
  readonly retryAfterMs: number;

  constructor(message: string, { retryAfterMs = 0, cause }: { retryAfterMs?: number; cause?: unknown } = {}) {
    super(message, { cause });
    this.retryAfterMs = retryAfterMs;
  }
}

/** Nothing is heard for this long: the connection is given up. A portion is written in a few seconds. */
const silenceMs = 120_000;
/** Seconds. */
const longestRetryAfter = 60;
const sliceBytes = 256 * 1024;

export type Upload = { method: 'POST' | 'DELETE'; path: string; body: Buffer };

/** Sends messages in one request. `onSent` hears how many bytes the connection has taken so far. */
export async function sendMessages(
  config: ClientConfig,
  { method, path, body }: Upload,
  onSent: (bytes: number) => void = () => {},
): Promise<IngestResult> {
  const { status, headers, answer } = await exchange(config, { method, path, body }, onSent).catch((error: unknown) => {
    throw new TemporaryFailure(`the connection failed (${reasonOf(error)})`, { cause: error });
  });
  const refusal = status >= 300 ? refusalOf(config, status, headers.location ?? null, answer) : undefined;
  if (refusal && (status >= 500 || status === 429 || status === 408)) {
    const retryAfterMs = 1000 * Math.min(longestRetryAfter, Number(headers['retry-after']) || 0);
    throw new TemporaryFailure(`the server answered ${status}: ${refusal.message}`, { retryAfterMs });
  }
  if (refusal) throw refusal;
  const parsed = ingestResult.safeParse(parseJson(answer));
  if (!parsed.success) throw new ServerRefusal(`What answers at ${config.url} is no Faultline of this version.`);
  return parsed.data;
}

function exchange(config: ClientConfig, { method, path, body }: Upload, onSent: (bytes: number) => void) {
  const send = config.url.startsWith('https:') ? requestHttps : requestHttp;
  const headers = {
    ...authorize(config),
    'content-type': 'application/x-ndjson',
    'content-length': body.length,
  };
  return new Promise<{ status: number; headers: IncomingHttpHeaders; answer: string }>((resolve, reject) => {
    const request = send(`${config.url}${path}`, { method, headers, timeout: silenceMs }, (response) => {
      text(response).then(
        (answer) => resolve({ status: response.statusCode ?? 0, headers: response.headers, answer }),
        reject,
      );
    });
    request.once('timeout', () => request.destroy(new Error(`no answer within ${silenceMs / 1000} seconds`)));
    request.once('error', reject);
    const sendFrom = (at: number): void => {
      if (request.destroyed) return;
      onSent(at);
      if (at >= body.length) request.end();
      else request.write(body.subarray(at, at + sliceBytes), () => sendFrom(at + sliceBytes));
    };
    sendFrom(0);
  });
}

function parseJson(answer: string): unknown {
  try {
    return JSON.parse(answer);
  } catch {
    return undefined;
  }
}
