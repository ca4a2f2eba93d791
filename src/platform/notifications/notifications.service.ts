import type { Clock } from '../../clock.ts';
import type { Database, Log } from '../../db/open.ts';
import type { OutboundGuard } from '../../workflows/worker/outbound.ts';
import type { Secrets } from '../secrets.ts';
import { createChannelsService, type TeamLookup } from './channels.service.ts';
import { createChannelsStore } from './channels.store.ts';
import { createDeliveriesService } from './deliveries.service.ts';
import { createDeliveriesStore } from './deliveries.store.ts';
import { createEmitter } from './emitter.service.ts';
import { createSender } from './sender.service.ts';
import { createWorkflowSource } from './workflow-source.service.ts';
import { createWorkflowSourceStore } from './workflow-source.store.ts';

const pollMs = 500;
const tidyMs = 3_600_000;
const keepMs = 30 * 86_400_000;

/** The parts of notifications, put together. */
export async function createNotifications(deps: {
  pool: Database['pool'];
  /** Other processes work on the same database. */
  isShared: boolean;
  secrets: Secrets;
  guard: OutboundGuard;
  smtpUrl: string | undefined;
  publicUrl: string | undefined;
  findTeam: TeamLookup;
  clock: Clock;
  random: () => number;
  log: Log;
}) {
  const { pool, secrets, guard, smtpUrl, publicUrl, findTeam, clock, random, log } = deps;
  const channelsStore = createChannelsStore(pool);
  const deliveriesStore = createDeliveriesStore(pool);
  const emitter = createEmitter({ clock });
  const sender = createSender({ store: deliveriesStore, secrets, reach: { guard, smtpUrl }, clock, random, log });
  const channels = createChannelsService({ store: channelsStore, sender, secrets, findTeam, clock });
  const deliveries = createDeliveriesService({ store: deliveriesStore, channels, sender, findTeam, clock });
  const workflowSource = createWorkflowSource({ store: createWorkflowSourceStore(pool), emitter, publicUrl });

  if (!deps.isShared) await deliveriesStore.endAllLeases(new Date(clock()));
  let reading: Promise<void> | undefined;
  const poll = setInterval(() => {
    sender.wake();
    reading ??= workflowSource
      .readOn()
      .catch((error: unknown) => log.warn({ err: error }, 'events of workflows are told later'))
      .finally(() => {
        reading = undefined;
        sender.wake();
      });
  }, pollMs).unref();
  const tidy = setInterval(() => {
    deliveriesStore
      .expire(new Date(clock() - keepMs))
      .catch((error: unknown) => log.warn({ err: error }, 'old deliveries are deleted later'));
  }, tidyMs).unref();

  return {
    channels,
    deliveries,
    emitter,
    /** Deliveries were committed. Nothing is lost without it: the next round finds them. */
    wake: () => sender.wake(),

    /** For the built-in task `notify`; says why it cannot be done, or under which name the channel is known. */
    async notifyChannel(
      nameOrId: string,
      text: { title: string; message: string; key: string; data: { [key: string]: unknown } },
    ): Promise<{ refused: string } | { name: string }> {
      const [channel, ...others] = await channelsStore.listNamed(nameOrId);
      if (!channel) return { refused: `There is no channel "${nameOrId}"; GET /notification/channels lists them.` };
      if (others.length > 0) return { refused: `Several teams have a channel "${nameOrId}"; name it by its id.` };
      if (!channel.is_enabled) return { refused: `The channel "${nameOrId}" is switched off.` };
      const { title, message, key, data } = text;
      const content = { title, message, at: new Date(clock()).toISOString(), data };
      await emitter.emitDirect(pool, channel, { event: 'workflow.message', key, content });
      sender.wake();
      return { name: channel.name };
    },

    async close(): Promise<void> {
      clearInterval(poll);
      clearInterval(tidy);
      await reading;
      await sender.close();
    },
  };
}
