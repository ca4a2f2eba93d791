import type { ClientConfig } from '../client-config.ts';
import { authorize, refusalOf, ServerRefusal, unreachable } from './client.ts';
import { parseEvents, type ServerEvent } from './workflow-sse.ts';

/** The answer has begun when this returns: what happens from then on is in the events. */
export async function openEvents(
  config: ClientConfig,
  path: string,
  { lastId, signal }: { lastId?: string; signal: AbortSignal },
): Promise<AsyncGenerator<ServerEvent>> {
  const headers = {
    ...authorize(config),
    accept: 'text/event-stream',
    ...(lastId === undefined ? {} : { 'last-event-id': lastId }),
  };
  const response = await fetch(`${config.url}${path}`, { headers, redirect: 'manual', signal }).catch(
    (error: unknown) => {
      throw unreachable(config.url, error);
    },
  );
  if (response.status >= 300)
    throw refusalOf(config, response.status, response.headers.get('location'), await response.text());
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
  if (!isStream || response.body === null) {
    await response.body?.cancel();
    throw new ServerRefusal(`${config.url} gives no events there.`);
  }
  return parseEvents(response.body);
}
