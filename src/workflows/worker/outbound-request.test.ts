import type { lookup } from 'node:dns';
import { describe, expect, test } from 'vitest';
import { startHttpStub } from '../../platform/integrations/testing/http-stub.ts';
import { createOutboundGuard } from './outbound.ts';
import { exchangeGuarded } from './outbound-request.ts';

const limits = { timeoutMs: 5000, maxBytes: 1000 };

/** Gives one address after the other, as a name does whose owner is up to something. */
function resolvingInTurn(...addresses: string[]): typeof lookup {
  let calls = 0;
  const resolve = (_name: string, _options: object, callback: (error: null, found: object[]) => void) => {
    const address = addresses[Math.min(calls++, addresses.length - 1)];
    callback(null, [{ address, family: address.includes(':') ? 6 : 4 }]);
  };
  return resolve as unknown as typeof lookup; // the guard asks for all addresses, and only so
}

describe('a guarded exchange', () => {
  test.each([
    ['loopback', 'http://127.0.0.1:PORT/'],
    ['loopback in IPv6', 'http://[::1]:PORT/'],
    ['private', 'http://10.0.0.1:PORT/'],
    ['link-local', 'http://169.254.169.254/latest/meta-data'],
    ['IPv4 inside IPv6', 'http://[::ffff:127.0.0.1]:PORT/'],
    ['loopback as a number', 'http://2130706433:PORT/'],
    ['loopback in octal', 'http://0177.0.0.1:PORT/'],
    ['unspecified', 'http://0.0.0.0:PORT/'],
  ])('never reaches an address that is %s', async (_what, url) => {
    const stub = await startHttpStub(() => ({}));
    const call = exchangeGuarded(url.replace('PORT', String(stub.port)), limits, createOutboundGuard([]));
    await expect(call).rejects.toThrow('is not a public address');
    expect(stub.seen).toEqual([]);
  });

  test.each(['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', 'fe80::1', '::ffff:127.0.0.1'])(
    'never reaches a name that is %s',
    async (address) => {
      const stub = await startHttpStub(() => ({}));
      const guard = createOutboundGuard([], resolvingInTurn(address));
      await expect(exchangeGuarded(`http://innocent.example:${stub.port}/`, limits, guard)).rejects.toThrow(
        `innocent.example is ${address}, which is not a public address`,
      );
      expect(stub.seen).toEqual([]);
    },
  );

  test('checks a redirect again, also to a name that has changed its mind', async () => {
    const stub = await startHttpStub(() => ({ status: 302, headers: { location: '/again' } }), '127.0.0.2');
    // Allowed the first time, and then an address that is not.
    const guard = createOutboundGuard(['127.0.0.2'], resolvingInTurn('127.0.0.2', '127.0.0.1'));
    await expect(exchangeGuarded(`http://rebind.example:${stub.port}/`, limits, guard)).rejects.toThrow(
      'rebind.example is 127.0.0.1',
    );
    expect(stub.seen).toHaveLength(1);
    const inside = await startHttpStub(() => ({}));
    const outside = await startHttpStub(() => ({ status: 307, headers: { location: inside.url } }), '127.0.0.2');
    await expect(exchangeGuarded(outside.url, limits, createOutboundGuard(['127.0.0.2']))).rejects.toThrow(
      '127.0.0.1 is not a public address',
    );
    expect(inside.seen).toEqual([]);
  });

  test('looks a name up once for each connection: what was checked is what is used', async () => {
    const stub = await startHttpStub(() => ({ body: 'fine' }), '127.0.0.2');
    const guard = createOutboundGuard(['127.0.0.2'], resolvingInTurn('127.0.0.2', '127.0.0.1'));
    const { text } = await exchangeGuarded(`http://rebind.example:${stub.port}/`, limits, guard);
    expect(text).toBe('fine');
  });

  test('leaves credentials behind when it is sent to another origin', async () => {
    const other = await startHttpStub(() => ({ body: 'there' }));
    const first = await startHttpStub(({ url }) =>
      url.pathname === '/same'
        ? { body: 'here' }
        : { status: 302, headers: { location: url.searchParams.get('to') ?? '' } },
    );
    const guard = createOutboundGuard(['127.0.0.1']);
    const headers = { authorization: 'Bearer secret', 'x-token': 'secret', accept: 'text/plain' };
    const follow = (to: string) =>
      exchangeGuarded(`${first.url}/?to=${encodeURIComponent(to)}`, { ...limits, headers }, guard);
    await follow('/same');
    expect(first.seen.at(-1)?.headers.authorization).toBe('Bearer secret');
    expect(await follow(other.url)).toMatchObject({ status: 200, text: 'there' });
    expect(other.seen[0].headers).toMatchObject({ accept: 'text/plain' });
    expect(JSON.stringify(other.seen[0].headers)).not.toContain('secret');
    await expect(follow('file:///etc/passwd')).rejects.toThrow('no web address');
  });

  test('is bounded: redirects, bytes and time', async () => {
    const stub = await startHttpStub(({ url }) =>
      url.pathname === '/loop' ? { status: 302, headers: { location: '/loop' } } : { body: 'x'.repeat(2000) },
    );
    const guard = createOutboundGuard(['127.0.0.1']);
    await expect(exchangeGuarded(`${stub.url}/loop?token=secret`, limits, guard)).rejects.toThrow(
      /^http:\/\/127\.0\.0\.1:\d+\/loop redirects more than 3 times\.$/,
    );
    await expect(exchangeGuarded(stub.url, limits, guard)).rejects.toThrow('larger than 1000 bytes');
    const cut = await exchangeGuarded(stub.url, { ...limits, cut: true }, guard);
    expect(cut).toMatchObject({ isCut: true, text: 'x'.repeat(1000) });
    // Nobody answers a connection that is never accepted.
    const never = resolvingInTurn('127.0.0.1');
    const silent = createOutboundGuard(
      ['127.0.0.1'],
      ((...call: Parameters<typeof lookup>) =>
        void setTimeout(
          () => (never as (...call: unknown[]) => void)(...call),
          60_000,
        ).unref()) as unknown as typeof lookup,
    );
    await expect(exchangeGuarded('http://slow.example/', { ...limits, timeoutMs: 50 }, silent)).rejects.toThrow(
      'did not answer within 0.05 s',
    );
  });
});
