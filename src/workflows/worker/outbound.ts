import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/**
 * Keeps requests that others choose the address of (tasks, notifications) away from the operator's own network. The check
 * is made on the addresses that the connection really uses, so a name that changes its mind between two look-ups gains nothing.
 */
export type OutboundGuard = {
  isAllowed(address: string): boolean;
  /** For addresses written in the URL itself: these never reach `lookup`. Throws. */
  checkHost(hostname: string): void;
  /** For node:http and node:https. */
  lookup: LookupFunction;
};

export class OutboundRefused extends Error {
  override name = 'OutboundRefused';
}

const refusedV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
];
/** The last five carry an IPv4 address inside, which would slip past the list above. */
const refusedV6 = [
  '::1/128',
  '100::/64',
  '2001:db8::/32',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
  '::/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '2001::/32',
  '2002::/16',
];

/** `allow`: addresses and ranges, such as 10.0.0.7 or 10.1.0.0/16. */
export function createOutboundGuard(allow: string[], resolve: typeof systemLookup = systemLookup): OutboundGuard {
  const refused = blockListOf([...refusedV4, ...refusedV6]);
  const allowed = blockListOf(allow);
  const isAllowed = (address: string): boolean => {
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    // BlockList compares an IPv4-mapped IPv6 address with the IPv4 entries too.
    return allowed.check(address, family) || !refused.check(address, family);
  };
  return {
    isAllowed,
    checkHost(hostname) {
      const bare = hostname.replace(/^\[|\]$/g, '');
      if (isIP(bare) !== 0 && !isAllowed(bare)) throw refusal(bare, bare);
    },
    lookup(hostname, options, callback) {
      resolve(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
        if (error) return callback(error, '');
        const bad = addresses.find(({ address }) => !isAllowed(address));
        if (bad) return callback(refusal(hostname, bad.address), '');
        if (options.all) return callback(null, addresses);
        callback(null, addresses[0].address, addresses[0].family);
      });
    },
  };
}

function blockListOf(ranges: string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address, bits] = range.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

const refusal = (name: string, address: string): OutboundRefused =>
  new OutboundRefused(
    `${name === address ? address : `${name} is ${address}, which`} is not a public address; the operator can allow it with FAULTLINE_OUTBOUND_ALLOW.`,
  );
