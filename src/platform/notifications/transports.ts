import type { Settings, SlackSettings, WebhookSettings } from './channel-types.ts';
import type { Message, Outcome, Reach } from './message.ts';
import { type PostAnswer, postGuarded } from './post.ts';
import { sendMail } from './send-mail.ts';
import { signatureOf } from './signature.ts';

/** Sends once. Throws what the network throws; what the receiver says is the outcome. */
export function send(setup: Settings, message: Message, reach: Reach, signal: AbortSignal): Promise<Outcome> {
  if (setup.type === 'webhook') return sendToWebhook(setup.settings, message, reach, signal);
  if (setup.type === 'slack') return sendToSlack(setup.settings, message, reach, signal);
  return sendMail(setup.settings, message, reach, signal);
}

async function sendToWebhook(
  settings: WebhookSettings,
  message: Message,
  reach: Reach,
  signal: AbortSignal,
): Promise<Outcome> {
  const { id, event, teamId, channel, content } = message;
  const { title, message: text, at, data } = content;
  const body = JSON.stringify({ id, event, at, title, message: text, team_id: teamId, channel, data });
  const timestamp = String(reach.nowSeconds());
  const headers: Record<string, string> = {
    'user-agent': 'Faultline',
    'x-faultline-delivery': id,
    'x-faultline-event': event,
    'x-faultline-timestamp': timestamp,
  };
  if (settings.secret !== undefined) headers['x-faultline-signature'] = signatureOf(settings.secret, timestamp, body);
  return outcomeOf(await postGuarded(settings.url, { body, headers }, reach.guard, signal));
}

async function sendToSlack(
  settings: SlackSettings,
  message: Message,
  reach: Reach,
  signal: AbortSignal,
): Promise<Outcome> {
  const { title, message: text } = message.content;
  const body = JSON.stringify({
    text: `*${escaped(title)}*\n${escaped(text)}`,
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text: `*${escaped(title)}*\n${escaped(text)}`.slice(0, 3000) } },
    ],
  });
  const headers = { 'user-agent': 'Faultline', 'x-faultline-delivery': message.id };
  return outcomeOf(await postGuarded(settings.url, { body, headers }, reach.guard, signal));
}

/** What Slack gives a meaning to: without this, an error text could call everybody in the channel. */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function outcomeOf({ status, retryAfterSeconds }: PostAnswer): Outcome {
  if (status >= 200 && status < 300) return { isSent: true, status };
  if (status === 410) {
    return { isSent: false, status, isFinal: true, error: 'The receiver answered 410: it wants no more of these.' };
  }
  if (status >= 300 && status < 400) {
    const error = `The receiver answered ${status}, and redirects are not followed; set the address that it leads to.`;
    return { isSent: false, status, error };
  }
  return { isSent: false, status, error: `The receiver answered ${status}.`, retryAfterSeconds };
}
