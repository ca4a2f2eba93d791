import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { text } from 'node:stream/consumers';
import type { ClientConfig } from '../client-config.ts';
import { authorize, refusalOf, unreachable } from './client.ts';

/**
 * A long answer as a stream. Not by fetch, which gives up when the first byte takes five minutes: a server that packs a large
 * database may take longer.
 */
export async function download(config: ClientConfig, path: string): Promise<IncomingMessage> {
  const send = config.url.startsWith('https:') ? requestHttps : requestHttp;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = send(`${config.url}${path}`, { headers: authorize(config) }, resolve);
    request.once('error', (error) => reject(unreachable(config.url, error)));
    request.end();
  });
  const status = response.statusCode ?? 0;
  if (status >= 300) throw refusalOf(config, status, response.headers.location ?? null, await text(response));
  return response;
}
