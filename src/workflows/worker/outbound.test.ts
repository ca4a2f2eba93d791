import type { lookup } from 'node:dns';
import { describe, expect, test } from 'vitest';
import { createOutboundGuard } from './outbound.ts';

const resolvingTo = (...addresses: string[]) =>
  // The guard always asks for all addresses.
  ((
    _name: string,
    _options: object,
    callback: (error: null, found: Array<{ address: string; family: number }>) => void,
  ) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )) as unknown as typeof lookup;

const look = (guard: ReturnType<typeof createOutboundGuard>, all: boolean) =>
  new Promise<unknown>((resolve) =>
    guard.lookup('name.example', { all }, (error, address, family) =>
      resolve(error ? error.message : [address, family]),
    ),
  );

describe('outbound guard', () => {
  test('private, link-local, loopback and other special addresses are refused, also inside IPv6', () => {
    const { isAllowed } = createOutboundGuard([]);
    const special =
      '0.0.0.0 10.1.2.3 100.64.0.1 127.0.0.1 169.254.169.254 172.31.255.255 192.168.0.1 224.0.0.1 255.255.255.255 :: ::1 fe80::1 ' +
      'fd00::1 ff02::1 ::ffff:10.0.0.1 ::ffff:7f00:1 ::127.0.0.1 64:ff9b::a00:1 2002:7f00:1::';
    expect(special.split(' ').filter(isAllowed)).toEqual([]);
    const open = ['1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '::ffff:1.1.1.1'];
    expect(open.filter(isAllowed)).toEqual(open);
  });

  test('the operator can allow addresses and ranges, and only these', () => {
    const { isAllowed } = createOutboundGuard(['10.1.0.0/16', '127.0.0.1', 'fd00::/8']);
    expect(['10.1.9.9', '127.0.0.1', '::ffff:10.1.0.1', 'fd12::1', '10.2.0.1', '127.0.0.2'].filter(isAllowed)).toEqual([
      '10.1.9.9',
      '127.0.0.1',
      '::ffff:10.1.0.1',
      'fd12::1',
    ]);
  });

  test('a name is refused when one of its addresses is', async () => {
    const good = createOutboundGuard([], resolvingTo('1.1.1.1', '2606:4700::1'));
    expect(await look(good, false)).toEqual(['1.1.1.1', 4]);
    expect(await look(good, true)).toEqual([
      [
        { address: '1.1.1.1', family: 4 },
        { address: '2606:4700::1', family: 6 },
      ],
      undefined,
    ]);
    const bad = createOutboundGuard([], resolvingTo('1.1.1.1', '10.0.0.1'));
    expect(await look(bad, true)).toMatch(/name.example is 10.0.0.1, which is not a public address/);
  });

  test('an address in the URL itself is checked without a look-up', () => {
    const { checkHost } = createOutboundGuard([]);
    expect(() => checkHost('[::1]')).toThrow('not a public address');
    expect(() => checkHost('192.168.1.1')).toThrow('not a public address');
    expect(() => checkHost('8.8.8.8')).not.toThrow();
    expect(() => checkHost('name.example')).not.toThrow();
  });
});
