import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { text } from 'node:stream/consumers';
import type { z } from 'zod';
import type { ClientConfig } from '../client-config.ts';
import { authorize, refusalOf, ServerRefusal, unreachable } from './client.ts';

/**
 * A long answer as a stream. Not by fetch, which gives up when the first byte takes five minutes: a server that packs a large
 * database may take longer.
 */
export async function download(config: ClientConfig, path: string): Promise<IncomingMessage> {
  const send = config.url.startsWith('https:') ? requestHttps : requestHttp;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    // The path apart from the address: in a URL, the segment of a node called ".." would go up a level.
    const { pathname } = new URL(config.url);
    const fullPath = `${pathname === '/' ? '' : pathname}${path}`;
    const request = send(config.url, { headers: authorize(config), path: fullPath }, resolve);
    request.once('error', (error) => reject(unreachable(config.url, error)));
    request.end();
  });
  const status = response.statusCode ?? 0;
  if (status >= 300) throw refusalOf(config, status, response.headers.location ?? null, await text(response));
  return response;
}

/** A short answer from a path that may name any node. */
export async function getJson<T>(config: ClientConfig, path: string, schema: z.ZodType<T>): Promise<T> {
  const parsed = schema.safeParse(JSON.parse(await text(await download(config, path))));
  if (parsed.success) return parsed.data;
  throw new ServerRefusal(`What answers at ${config.url} does not speak like a Faultline of this version.`);
}
