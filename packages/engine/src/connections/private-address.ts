/** Recognises loopback and private network addresses. */
import { BlockList, isIP } from '#platform/ip-addresses';

const blocked = new BlockList();
// Loopback, private, link-local, carrier-grade NAT, "this network", benchmarking, multicast and reserved.
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  blocked.addSubnet(network, prefix, 'ipv4');
// Unspecified and loopback, NAT64, discard, Teredo, documentation, 6to4, unique local, link-local, site-local, multicast.
for (const [network, prefix] of [
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const)
  blocked.addSubnet(network, prefix, 'ipv6');

/** Returns whether an IP address is not public. An IPv4 address mapped into IPv6 is checked as IPv4. */
export function isPrivateIp(address: string): boolean {
  const plain = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  const family = isIP(plain);
  if (family === 4) return blocked.check(plain, 'ipv4');
  if (family !== 6) return true;
  const mapped = mappedIpv4(plain);
  return mapped === null ? blocked.check(plain, 'ipv6') : blocked.check(mapped, 'ipv4');
}

/** Returns the IPv4 address in `::ffff:…`, in any notation; null for other addresses. */
function mappedIpv4(address: string): string | null {
  const { hostname } = new URL(`http://[${address}]`);
  const [, high, low] = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(hostname) ?? [];
  if (high === undefined || low === undefined) return null;
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [a >> 8, a & 255, b >> 8, b & 255].join('.');
}

/** Returns whether a host name is private, for example `localhost`. Other names are checked when they are resolved. */
export function isPrivateAddress(hostname: string): boolean {
  const plain = hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
  if (isIP(plain) !== 0) return isPrivateIp(plain);
  return plain === 'localhost' || /\.(?:localhost|local|internal|home\.arpa)$/.test(plain) || !plain.includes('.');
}
