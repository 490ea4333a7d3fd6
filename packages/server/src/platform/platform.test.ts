import { inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import * as browserCompression from './browser/compression.ts';
import * as browserCrypto from './browser/crypto.ts';
import { openFileSource } from './browser/open-file.ts';
import { spoolUpload } from './browser/spool.ts';
import * as nodeCompression from './node/compression.ts';
import * as nodeCrypto from './node/crypto.ts';

const modules = ['compression', 'crypto', 'open-file', 'page-folder', 'system', 'threads', 'upstream'];

test.each(modules)('[A331] the module %s has the same names for Node and for browsers', async (name) => {
  const [node, browser] = await Promise.all([import(`./node/${name}.ts`), import(`./browser/${name}.ts`)]);
  expect(Object.keys(browser).sort()).toEqual(Object.keys(node).sort());
});

test('[A331] browsers compute the hashes that Node computes', () => {
  const encoding = fc.constantFrom('hex' as const, 'base64url' as const);
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' })), fc.uint8Array(), encoding, (texts, bytes, as) => {
      expect(browserCrypto.sha256(bytes, as)).toBe(nodeCrypto.sha256(bytes, as));
      const [node, browser] = [nodeCrypto.createIncrementalHash(), browserCrypto.createIncrementalHash()];
      for (const text of texts) {
        for (const hash of [node, browser]) hash.update(text);
        expect(browser.read()).toBe(node.read());
      }
    }),
  );
  expect(browserCrypto.randomText(24, 'base64url')).toMatch(/^[\w-]{32}$/);
  expect(browserCrypto.randomText(6, 'hex')).toMatch(/^[0-9a-f]{12}$/);
  const [one, other] = [new Uint8Array([1, 2]), new Uint8Array([1, 3])];
  expect([browserCrypto.timingSafeEqualBytes(one, one), browserCrypto.timingSafeEqualBytes(one, other)]).toEqual([
    true,
    false,
  ]);
});

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000);
}

async function bytesOf(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all);
}

test('[A331] browsers deflate an archive, and read compressed responses as far as they go', async () => {
  const bytes = new TextEncoder().encode('The dough rises. '.repeat(2_000));
  expect(inflateRawSync(await bytesOf(browserCompression.deflateStream(piecesOf(bytes)))).equals(bytes)).toBe(true);
  const packed = await nodeCompression.compressFast(bytes, 'gzip');
  const unpacked = browserCompression.decompress(packed, 'gzip');
  expect(unpacked === null ? null : (await bytesOf(unpacked)).equals(bytes)).toBe(true);
  expect(browserCompression.decompress(packed, 'br')).toBeNull();
  const broken = async function* (): AsyncGenerator<Uint8Array> {
    yield bytes;
    throw new Error('gone');
  };
  await expect(bytesOf(browserCompression.deflateStream(broken()))).rejects.toThrow('gone');
});

test('[A331] an upload stays in memory in a browser, and can be read twice', async () => {
  const bytes = new TextEncoder().encode('x'.repeat(2_500));
  const upload = await spoolUpload('/nowhere', piecesOf(bytes));
  const file = openFileSource(upload.sourceNamed('chats.json'));
  expect([file.name, file.size]).toEqual(['chats.json', 2_500]);
  expect((await file.read?.(10, 20))?.length).toBe(10);
  for (const _ of [1, 2]) expect((await bytesOf(file.stream())).equals(bytes)).toBe(true);
  await upload.close();
  expect(() => openFileSource({ name: 'a', size: 1, path: '/a' })).toThrow('needs Node or Bun');
});
