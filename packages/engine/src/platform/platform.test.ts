import { isIP as isIpOfNode, BlockList as NodeBlockList } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BlockList, isIP } from './browser/ip-addresses.ts';
import * as browserSystem from './browser/system.ts';
import * as nodeSystem from './node/system.ts';

const modules = ['babble-text', 'child-transport', 'crypto', 'ip-addresses', 'public-fetch', 'system', 'text-thread'];

test.each(modules)('[G221] the module %s has the same names for Node and for browsers', async (name) => {
  const [node, browser] = await Promise.all([import(`./node/${name}.ts`), import(`./browser/${name}.ts`)]);
  expect(Object.keys(browser).sort()).toEqual(Object.keys(node).sort());
});

const v4 = fc.ipV4();
const v6 = fc.ipV6();
const odd = fc.constantFrom(
  '',
  '1.2.3',
  '01.2.3.4',
  '1.2.3.256',
  ':::',
  '1::2::3',
  'g::1',
  '::ffff:1.2.3.4',
  'fe80::1%eth0',
  '::',
  'a.b',
);

test('[G222] browsers recognise the IP addresses that Node recognises', () => {
  fc.assert(
    fc.property(fc.oneof(v4, v6, odd, fc.string()), (text) => {
      expect(isIP(text)).toBe(isIpOfNode(text));
    }),
  );
});

test('[G222] browsers find an IP address in the networks in which Node finds it', () => {
  const inNetwork = fc.oneof(
    fc.tuple(v4, v4, fc.integer({ min: 0, max: 32 }), fc.constant('ipv4' as const)),
    fc.tuple(v6, v6, fc.integer({ min: 0, max: 128 }), fc.constant('ipv6' as const)),
  );
  fc.assert(
    fc.property(inNetwork, fc.boolean(), ([network, other, prefix, type], same) => {
      const address = same ? network : other;
      const [node, browser] = [new NodeBlockList(), new BlockList()];
      for (const list of [node, browser]) list.addSubnet(network, prefix, type);
      expect(browser.check(address, type)).toBe(node.check(address, type));
    }),
  );
});

test('[G223] browsers encode and decode base64 as Node does', () => {
  const plain = fc.uint8Array().map((bytes) => nodeSystem.encodeBase64(bytes));
  const text = fc.oneof(
    plain,
    plain.map((each) => each.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')),
    fc.string({ unit: fc.constantFrom(...'AZaz09+/-_\n ') }),
  );
  fc.assert(
    fc.property(text, fc.uint8Array(), (given, bytes) => {
      expect([...browserSystem.decodeBase64(given)]).toEqual([...nodeSystem.decodeBase64(given)]);
      expect(browserSystem.encodeBase64(bytes)).toBe(nodeSystem.encodeBase64(bytes));
    }),
  );
});

test('[G221] a file and a home directory are refused by name in a browser', async () => {
  await expect(browserSystem.readFile('/a')).rejects.toMatchObject({ code: 'command/invalid' });
  expect(() => browserSystem.homedir()).toThrow('A home directory needs Node or Bun; a browser does not have it.');
});
