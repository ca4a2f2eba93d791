import { isIP } from 'node:net';
import { createTransport } from 'nodemailer';
import type { OutboundGuard } from '../../workflows/worker/outbound.ts';
import type { EmailSettings } from './channel-types.ts';
import type { Message, Outcome, Reach } from './message.ts';

const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 10_000 };

/** Through the channel's own server, which has to pass the guard, or through the operator's, who chose it. */
export async function sendMail(
  settings: EmailSettings,
  message: Message,
  { guard, smtpUrl }: Reach,
  signal: AbortSignal,
): Promise<Outcome> {
  const server =
    settings.host === undefined ? operatorServer(smtpUrl) : await ownServer(settings, settings.host, guard);
  if (server === undefined) {
    const error = 'The channel has no "host", and the operator has not set FAULTLINE_SMTP_URL.';
    return { isSent: false, isFinal: true, error };
  }
  const { from, ...options } = server;
  const transport = createTransport({ ...timeouts, ...options, disableFileAccess: true, disableUrlAccess: true });
  const stop = () => transport.close();
  signal.addEventListener('abort', stop);
  try {
    const { title, message: text, at } = message.content;
    await transport.sendMail({
      from: settings.from ?? from,
      to: settings.to,
      subject: title.replace(/\s+/g, ' '),
      text: `${text}\n\n${message.event} at ${at}\n`,
      // Mail systems drop a second copy of the same message by its id.
      messageId: `<${message.id}@faultline>`,
      headers: {
        'X-Faultline-Delivery': message.id,
        'X-Faultline-Event': message.event,
        'Auto-Submitted': 'auto-generated',
      },
    });
    return { isSent: true };
  } catch (error) {
    return failureOf(error);
  } finally {
    signal.removeEventListener('abort', stop);
    transport.close();
  }
}

type Server = {
  from?: string;
  host: string;
  port: number;
  secure: boolean;
  requireTLS?: boolean;
  ignoreTLS?: boolean;
  auth?: { user: string; pass: string };
  tls?: { servername: string };
};

/** Connects to the very address that was checked: a name that says something else a moment later gains nothing. */
async function ownServer(settings: EmailSettings, host: string, guard: OutboundGuard): Promise<Server> {
  const { port, tls, username, password } = settings;
  guard.checkHost(host);
  return {
    host: isIP(host) === 0 ? await addressOf(host, guard) : host,
    port,
    secure: tls === 'tls',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    ...(username !== undefined && password !== undefined && { auth: { user: username, pass: password } }),
    // The certificate is the name's, not the address's.
    ...(isIP(host) === 0 && { tls: { servername: host } }),
  };
}

const addressOf = (host: string, guard: OutboundGuard): Promise<string> =>
  new Promise((resolve, reject) =>
    guard.lookup(host, { all: true }, (error, addresses) => {
      const first = typeof addresses === 'string' ? addresses : addresses[0]?.address;
      return error || first === undefined ? reject(error ?? new Error(`${host} has no address.`)) : resolve(first);
    }),
  );

/** smtp://user:password@host:port?from=address, or smtps:// */
function operatorServer(smtpUrl: string | undefined): Server | undefined {
  const url = smtpUrl === undefined ? null : URL.parse(smtpUrl);
  if (!url) return undefined;
  const secure = url.protocol === 'smtps:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return {
    from: url.searchParams.get('from') ?? `faultline@${host}`,
    host,
    port: url.port === '' ? (secure ? 465 : 587) : Number(url.port),
    secure,
    ...(url.username !== '' && {
      auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
    }),
  };
}

function failureOf(error: unknown): Outcome {
  const text = error instanceof Error ? error.message : String(error);
  const status = error instanceof Error && 'responseCode' in error ? Number(error.responseCode) : undefined;
  // 5xx of SMTP is meant for good: no such mailbox, wrong password.
  const isFinal = status !== undefined && status >= 500;
  return { isSent: false, error: text, isFinal, ...(status !== undefined && { status }) };
}
