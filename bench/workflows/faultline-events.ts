import { get, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';

/** Our own server-sent events: `onEvent` is told the kind and the JSON text of each. */
export async function openEvents(
  { url, token }: { url: string; token: string },
  onEvent: (event: string, data: string) => void,
): Promise<{ stop(): Promise<void> }> {
  const headers = { authorization: `Bearer ${token}` };
  const stream = await new Promise<IncomingMessage>((resolve, reject) => {
    get(`${url}/api/events`, { headers }, resolve).once('error', reject);
  });
  let event = '';
  createInterface({ input: stream })
    // We end it ourselves.
    .on('error', () => undefined)
    .on('line', (line) => {
      if (line.startsWith('event: ')) event = line.slice(7);
      else if (line.startsWith('data: ')) onEvent(event, line.slice(6));
    });
  return { stop: async () => void stream.destroy() };
}
