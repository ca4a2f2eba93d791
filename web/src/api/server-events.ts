import { useEffect, useEffectEvent, useState } from 'react';

export type Connection = 'connecting' | 'open' | 'lost';

/**
 * Listens to server-sent events for as long as it is shown. The browser comes back by itself after an interruption, and says which
 * event it saw last. Null listens to nothing.
 *
 *     const connection = useServerEvents(`/api/events?instance=${id}`, ['instance', 'task'], (name, data) => …);
 */
export function useServerEvents(
  path: string | null,
  names: readonly string[],
  onEvent: (name: string, data: unknown) => void,
): Connection {
  const [connection, setConnection] = useState<Connection>('connecting');
  const handle = useEffectEvent(onEvent);
  const list = names.join(' ');
  useEffect(() => {
    if (path === null) return undefined;
    const source = new EventSource(path);
    source.addEventListener('open', () => setConnection('open'));
    source.addEventListener('error', () =>
      setConnection(source.readyState === EventSource.CLOSED ? 'lost' : 'connecting'),
    );
    for (const name of list.split(' ')) {
      source.addEventListener(name, (event) => handle(name, JSON.parse((event as MessageEvent<string>).data))); // named events are messages
    }
    return () => source.close();
  }, [path, list]);
  return connection;
}
