import { randomUUID } from 'node:crypto';
import { emailSettings, slackSettings, webhookSettings } from '../integrations/built-in-settings.ts';
import type { Tester } from '../integrations/drivers.ts';
import { SourceFailure } from '../integrations/sources/metric-source.ts';
import type { Settings } from './channel-types.ts';
import type { Reach } from './message.ts';
import { send } from './transports.ts';

/** How the integrations that notify are tried out: by a real message, sent as a channel would send it. */
export function createNotifierTests(reach: Reach): Record<'webhook' | 'slack' | 'email', Tester> {
  const sendTest = async (setup: Settings, signal: AbortSignal): Promise<string> => {
    const content = {
      title: 'Test of an integration',
      message: 'Somebody asked Faultline to send this.',
      at: new Date(reach.nowSeconds() * 1000).toISOString(),
      data: {},
    };
    const message = { id: randomUUID(), event: 'test', teamId: '', channel: { id: '', name: 'test' }, content };
    const outcome = await send(setup, message, reach, signal);
    if (!outcome.isSent) throw new SourceFailure(outcome.error);
    return 'The receiver has accepted a test message.';
  };
  return {
    webhook: (config, signal) => {
      const { url, secret } = webhookSettings.parse(config);
      return sendTest({ type: 'webhook', settings: { url, ...(secret === '' ? {} : { secret }) } }, signal);
    },
    slack: (config, signal) => sendTest({ type: 'slack', settings: { url: slackSettings.parse(config).url } }, signal),
    email: (config, signal) => {
      const { host, port, secure, user, password, from, to } = emailSettings.parse(config);
      const settings = {
        host,
        port,
        from,
        tls: secure ? ('tls' as const) : ('starttls' as const),
        to: to.split(',').map((address) => address.trim()),
        ...(user === '' ? {} : { username: user, password }),
      };
      return sendTest({ type: 'email', settings }, signal);
    },
  };
}
