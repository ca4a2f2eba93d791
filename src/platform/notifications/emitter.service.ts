import { createHash } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import { type EmitClient, insertDeliveries, type Listener, listListeners, type NewDelivery } from './emitter.store.ts';
import type { NotificationEvent, Occasion } from './event.ts';
import { isWanted } from './matching.ts';
import { type ServiceTransition, serviceEvent } from './service-event.ts';

export type Emitter = ReturnType<typeof createEmitter>;

/**
 * What sources call: writes one delivery for each channel that wants the event, in the transaction of the source, so that the change and
 * what is told of it are there together or not at all. Sending is the sender's business.
 */
export function createEmitter(deps: { clock: Clock }) {
  async function emitTo(client: EmitClient, listeners: Listener[], events: NotificationEvent[]): Promise<number> {
    const deliveries = events.flatMap((event) =>
      listeners.filter((listener) => isWanted(listener, event)).map((listener) => deliveryOf(event, listener)),
    );
    return insertDeliveries(client, deliveries, new Date(deps.clock()));
  }

  return {
    emitTo,

    async emit(client: EmitClient, events: NotificationEvent[]): Promise<number> {
      if (events.length === 0) return 0;
      return emitTo(client, await listListeners(client), events);
    },

    async onServiceTransition(client: EmitClient, transitions: ServiceTransition[]): Promise<number> {
      if (transitions.length === 0) return 0;
      return emitTo(client, await listListeners(client), transitions.map(serviceEvent));
    },

    /** To one channel, whatever its filters and policies say: somebody named it. */
    emitDirect: (
      client: EmitClient,
      listener: { id: string },
      event: Pick<NotificationEvent, 'event' | 'key' | 'content'>,
    ) => insertDeliveries(client, [deliveryOf(event, listener)], new Date(deps.clock())),
  };
}

const deliveryOf = (
  { event, key, content }: Pick<NotificationEvent, 'event' | 'key' | 'content'>,
  { id }: { id: string },
): NewDelivery => ({ channelId: id, event, key: shortened(key), content });

/** Names in it may be longer than what an index takes, and may have what the database does not keep. */
const shortened = (key: string): string =>
  key.length <= 200 && /^[\x20-\x7e]*$/.test(key) ? key : createHash('sha256').update(key).digest('hex');

/** Is there anybody who would be told? Sources ask before they look up what there is to tell. */
export const isAnybodyTold = (listeners: Listener[], occasion: Occasion): boolean =>
  listeners.some((listener) => isWanted(listener, occasion));
