import type { lookup } from 'node:dns';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { afterAll, describe, expect, test } from 'vitest';
import { createOutboundGuard, type OutboundGuard } from '../../workflows/worker/outbound.ts';
import type { EmailSettings } from './channel-types.ts';
import type { Message } from './message.ts';
import { send } from './transports.ts';

const message: Message = {
  id: '6f0c4f8e-0000-4000-8000-000000000001',
  event: 'workflow.failed',
  teamId: 't',
  channel: { id: 'c', name: 'ops' },
  content: {
    title: 'Workflow a.B\r\nBcc: evil@x.example',
    message: 'é <!channel> & more',
    at: '2026-01-01T00:00:00Z',
    data: {},
  },
};
const closers: Array<() => void> = [];
afterAll(() => closers.forEach((close) => close()));
const never = new AbortController().signal;
const reachOf = (guard: OutboundGuard, smtpUrl?: string) => ({ guard, smtpUrl, nowSeconds: () => 1 });

/** Names that change their mind: each look-up gets the next answer, the last one stays. */
function resolving(...answers: string[]) {
  const asked: string[] = [];
  // The guard always asks for all addresses.
  const resolve = ((name: string, _options: object, callback: (error: null, found: object[]) => void) => {
    asked.push(name);
    const address = answers.length > 1 ? (answers.shift() ?? '') : answers[0];
    callback(null, [{ address, family: address.includes(':') ? 6 : 4 }]);
  }) as unknown as typeof lookup;
  return { resolve, asked };
}

async function httpReceiver() {
  const bodies: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    bodies.push(await text(request));
    response.end();
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close());
  return { port: (server.address() as AddressInfo).port, bodies }; // it listens on a port
}

async function mailServer(options: { password?: string } = {}) {
  const mails: string[] = [];
  const { password } = options;
  const server = new SMTPServer({
    authOptional: password === undefined,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: (auth, _session, callback) =>
      auth.password === password
        ? callback(null, { user: auth.username })
        : callback(new Error(`no user with the password ${auth.password}`)),
    onData: (stream, _session, callback) => {
      const read = async (): Promise<void> => {
        mails.push(await text(stream));
        callback();
      };
      void read();
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  closers.push(() => server.close(() => undefined));
  return { port: (server.server.address() as AddressInfo).port, mails }; // it listens on a port
}
const mailTo = (port: number, more: Partial<EmailSettings> = {}): EmailSettings => ({
  to: ['ada@x.example', 'bob@x.example'],
  from: 'faultline@x.example',
  host: 'mail.test',
  port,
  tls: 'none',
  ...more,
});

describe('addresses that are not public', () => {
  test.each([
    'http://127.0.0.1:PORT/',
    'http://127.1:PORT/',
    'http://2130706433:PORT/',
    'http://0x7f.0.0.1:PORT/',
    'http://0.0.0.0:PORT/',
    'http://[::1]:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://[::ffff:7f00:1]:PORT/',
    'http://10.1.2.3/',
    'http://172.16.0.1/',
    'http://192.168.1.1/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[fe80::1]/',
    'http://[fd00::1]/',
    'http://localhost:PORT/',
  ])('%s is refused', async (address) => {
    const { port, bodies } = await httpReceiver();
    const url = address.replace('PORT', String(port));
    const reach = reachOf(createOutboundGuard([]));
    for (const type of ['webhook', 'slack'] as const)
      await expect(send({ type, settings: { url } }, message, reach, never)).rejects.toThrow('not a public address');
    expect(bodies).toEqual([]);
  });

  test('a name that turns from a public address to a private one is refused when it is connected to', async () => {
    const { port, bodies } = await httpReceiver();
    const { resolve } = resolving('127.0.0.1', '10.0.0.1', '::ffff:10.0.0.1');
    const guard = createOutboundGuard(['127.0.0.1'], resolve);
    const post = () =>
      send({ type: 'webhook', settings: { url: `http://hook.test:${port}/` } }, message, reachOf(guard), never);
    expect(await post()).toMatchObject({ isSent: true });
    await expect(post()).rejects.toThrow('hook.test is 10.0.0.1');
    await expect(post()).rejects.toThrow('not a public address');
    expect(bodies).toHaveLength(1);
  });

  test.each(['127.0.0.1', '::1', 'localhost', '10.0.0.1', '::ffff:127.0.0.1'])(
    'nor are mails sent to %s',
    async (host) => {
      const { port, mails } = await mailServer();
      const sending = send(
        { type: 'email', settings: mailTo(port, { host }) },
        message,
        reachOf(createOutboundGuard([])),
        never,
      );
      await expect(sending).rejects.toThrow('not a public address');
      expect(mails).toEqual([]);
    },
  );
});

describe('mail', () => {
  test('is sent over the very address that was checked, with the id of the delivery and no header of others', async () => {
    const { port, mails } = await mailServer();
    const { resolve, asked } = resolving('127.0.0.1', '10.0.0.1');
    const guard = createOutboundGuard(['127.0.0.1'], resolve);
    const outcome = await send({ type: 'email', settings: mailTo(port) }, message, reachOf(guard), never);
    expect(outcome).toEqual({ isSent: true });
    expect(asked).toEqual(['mail.test']);
    expect(mails).toHaveLength(1);
    const [head] = mails[0].split('\r\n\r\n');
    expect(head).toContain(`Message-ID: <${message.id}@faultline>`);
    expect(head).toContain(`X-Faultline-Delivery: ${message.id}`);
    expect(head).toContain('To: ada@x.example, bob@x.example');
    expect(head).not.toMatch(/^bcc:/im);
  });

  test('a wrong password is a failure for good', async () => {
    const { port } = await mailServer({ password: 'right' });
    const guard = createOutboundGuard(['127.0.0.1'], resolving('127.0.0.1').resolve);
    const to = (password: string) =>
      send({ type: 'email', settings: mailTo(port, { username: 'me', password }) }, message, reachOf(guard), never);
    expect(await to('right')).toEqual({ isSent: true });
    expect(await to('wrong')).toMatchObject({ isSent: false, isFinal: true, status: 535 });
  });

  test('a server without encryption is refused unless the channel says so', async () => {
    const { port, mails } = await mailServer();
    const guard = createOutboundGuard(['127.0.0.1'], resolving('127.0.0.1').resolve);
    const outcome = await send(
      { type: 'email', settings: mailTo(port, { tls: 'starttls' }) },
      message,
      reachOf(guard),
      never,
    );
    expect(outcome).toMatchObject({ isSent: false, error: expect.stringMatching(/STARTTLS/i) });
    expect(mails).toEqual([]);
  });

  test('without a server of its own goes through the operator’s, wherever that is', async () => {
    const { port, mails } = await mailServer({ password: 'p@ss' });
    const settings: EmailSettings = { to: ['ada@x.example'], port: 587, tls: 'starttls' };
    const guard = createOutboundGuard([]);
    const smtpUrl = `smtp://me:p%40ss@127.0.0.1:${port}?from=ops@x.example`;
    expect(await send({ type: 'email', settings }, message, reachOf(guard, smtpUrl), never)).toEqual({ isSent: true });
    expect(mails[0]).toContain('From: ops@x.example');
    const outcome = await send({ type: 'email', settings }, message, reachOf(guard), never);
    expect(outcome).toMatchObject({ isSent: false, isFinal: true });
  });
});

test('chat messages carry no marks of others', async () => {
  const { port, bodies } = await httpReceiver();
  const guard = createOutboundGuard(['127.0.0.1']);
  await send({ type: 'slack', settings: { url: `http://127.0.0.1:${port}/` } }, message, reachOf(guard), never);
  expect(JSON.parse(bodies[0]).text).toContain('é &lt;!channel&gt; &amp; more');
});
