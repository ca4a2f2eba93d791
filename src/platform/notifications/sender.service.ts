import type { Clock } from '../../clock.ts';
import type { Log } from '../../db/open.ts';
import type { Secrets } from '../secrets.ts';
import { maxAttempts, waitMs } from './back-off.ts';
import { openSettings, type StoredSettings, withoutSecrets } from './channel-settings.ts';
import type { DeliveriesStore, DueDelivery } from './deliveries.store.ts';
import type { Message, Outcome, Reach } from './message.ts';
import { send } from './transports.ts';

const atOnce = 64;
const atOncePerChannel = 4;
const attemptMs = 15_000;
/** Longer than any attempt takes, so that two processes never send the same delivery at the same time. */
const leaseMs = 30_000;
const errorLimit = 1000;

export type Sender = ReturnType<typeof createSender>;

/** Sends what is due. Every API process has one; leases keep them apart. */
export function createSender(deps: {
  store: DeliveriesStore;
  secrets: Secrets;
  reach: Omit<Reach, 'nowSeconds'>;
  clock: Clock;
  random: () => number;
  log: Log;
}) {
  const { store, secrets, clock, random, log } = deps;
  const reach: Reach = { ...deps.reach, nowSeconds: () => Math.floor(clock() / 1000) };
  const operatorSecrets = passwordOf(deps.reach.smtpUrl);
  const closing = new AbortController();
  /** What is being sent, and to which channel. */
  const inHand = new Map<Promise<void>, string>();
  let claiming: Promise<void> | undefined;
  let isWokenAgain = false;

  /** One attempt. Whatever goes wrong is an outcome, and tells no secret. */
  async function attempt(stored: StoredSettings, message: Message): Promise<Outcome> {
    let hidden = operatorSecrets;
    try {
      const { setup, secretTexts } = openSettings(stored, secrets);
      hidden = [...hidden, ...secretTexts];
      const signal = AbortSignal.any([AbortSignal.timeout(attemptMs), closing.signal]);
      const outcome = await send(setup, message, reach, signal);
      return outcome.isSent ? outcome : { ...outcome, error: tellable(outcome.error, hidden) };
    } catch (error) {
      return { isSent: false, error: tellable(sentenceOf(error), hidden), isFinal: isFinal(error) };
    }
  }

  async function deliver(delivery: DueDelivery): Promise<void> {
    const { id, attempts } = delivery;
    const outcome: Outcome = delivery.is_enabled
      ? await attempt(delivery, messageOf(delivery))
      : { isSent: false, isFinal: true, error: 'The channel is switched off; switch it on and send this again.' };
    const now = clock();
    if (outcome.isSent) return store.finish({ id, attempts, status: outcome.status }, 'sent', new Date(now));
    if (closing.signal.aborted) return store.giveBack({ id, attempts }, new Date(now));
    const { error, status } = outcome;
    const isOver = outcome.isFinal === true || attempts >= maxAttempts;
    log.info(
      { deliveryId: id, channelId: delivery.channel_id, attempts, status, isOver },
      'a notification was not delivered',
    );
    if (isOver) return store.finish({ id, attempts, error, status }, 'failed', new Date(now));
    const wait = waitMs(attempts, random(), outcome.retryAfterSeconds);
    return store.postpone({ id, attempts, error, status }, new Date(now + wait));
  }

  function busyChannels(): string[] {
    const counts = new Map<string, number>();
    for (const channel of inHand.values()) counts.set(channel, (counts.get(channel) ?? 0) + 1);
    return [...counts].flatMap(([channel, count]) => (count >= atOncePerChannel ? [channel] : []));
  }

  async function claimAll(): Promise<void> {
    for (;;) {
      const room = atOnce - inHand.size;
      if (room <= 0 || closing.signal.aborted) return;
      const now = clock();
      const due = await store.claim({
        max: room,
        perChannel: atOncePerChannel,
        busyChannels: busyChannels(),
        now: new Date(now),
        leaseUntil: new Date(now + leaseMs),
      });
      for (const delivery of due) {
        const sending = deliver(delivery)
          .catch((error: unknown) =>
            log.warn({ err: error, deliveryId: delivery.id }, 'a delivery will be tried again'),
          )
          .finally(() => {
            inHand.delete(sending);
            wake();
          });
        inHand.set(sending, delivery.channel_id);
      }
      if (due.length === 0) return;
    }
  }

  /** Something may be due. */
  function wake(): void {
    if (closing.signal.aborted) return;
    if (claiming) {
      isWokenAgain = true;
      return;
    }
    claiming = claimAll()
      .catch((error: unknown) => log.warn({ err: error }, 'due notifications could not be looked up'))
      .finally(() => {
        claiming = undefined;
        if (!isWokenAgain) return;
        isWokenAgain = false;
        wake();
      });
  }

  return {
    wake,
    attempt,
    async close(): Promise<void> {
      closing.abort();
      await claiming;
      await Promise.all(inHand.keys());
    },
  };
}

const messageOf = ({ id, event, team_id: teamId, channel_id, channel_name, content }: DueDelivery): Message => ({
  id,
  event,
  teamId,
  channel: { id: channel_id, name: channel_name },
  content,
});

const tellable = (text: string, hidden: string[]): string =>
  withoutSecrets(text, hidden).toWellFormed().replaceAll('\0', '\ufffd').slice(0, errorLimit);

/** Trying again does not make an address public, nor a secret readable. */
const isFinal = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'OutboundRefused' || error.name === 'SecretUnreadable');

function sentenceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError' || error.name === 'AbortError')
    return `The receiver did not answer within ${attemptMs / 1000} s.`;
  const code = 'code' in error ? String(error.code) : '';
  // Of several addresses that were tried in vain node tells nothing but the code.
  return error.message === '' ? `The receiver could not be reached (${code}).` : error.message;
}

function passwordOf(smtpUrl: string | undefined): string[] {
  const password = (smtpUrl === undefined ? null : URL.parse(smtpUrl))?.password ?? '';
  return password === '' ? [] : [password, decodeURIComponent(password)];
}
