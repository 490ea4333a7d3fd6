import { createHash } from 'node:crypto';
import { utf8Length } from '@coppice/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { base64Length, fromBase64, isBase64, toBase64 } from './base64.ts';
import {
  sha256Hex as platformSha256Hex,
  portableSha256Hex,
  setPlatformSha256,
  setPlatformSha256Loader,
} from './sha256.ts';
import { arbitraryText } from './testing/arbitraries.ts';

const reference = (input: string | Uint8Array) => createHash('sha256').update(input).digest('hex');

setPlatformSha256(reference);

it('[C46] does not use a platform hash with wrong results', () => {
  expect(() => setPlatformSha256(() => 'no digest')).toThrow('does not compute SHA-256');
  expect(platformSha256Hex('abc')).toBe(portableSha256Hex('abc'));
});

it('[C46] loads the platform hash with the first hash, rejects a wrong one, and works without one', () => {
  let loads = 0;
  setPlatformSha256Loader(() => {
    loads++;
    return reference;
  });
  expect(loads).toBe(0);
  expect([platformSha256Hex('abc'), platformSha256Hex('é')]).toEqual([reference('abc'), reference('é')]);
  expect(loads).toBe(1);
  setPlatformSha256Loader(() => () => 'no digest');
  expect(() => platformSha256Hex('abc')).toThrow('does not compute SHA-256');
  expect(() => platformSha256Hex('abc')).toThrow('does not compute SHA-256');
  setPlatformSha256Loader(() => undefined);
  expect(platformSha256Hex('abc')).toBe(reference('abc'));
});

describe.each([platformSha256Hex, portableSha256Hex])('hashing by %o', (sha256Hex) => {
  it('[C46] gives the published digests', () => {
    expect(sha256Hex('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  it('[C46] agrees with the platform at every length around the block size', () => {
    for (let length = 0; length <= 260; length++) {
      const text = 'é漢🌳a'.repeat(70).slice(0, length);
      expect(sha256Hex(text)).toBe(reference(text));
      const bytes = Uint8Array.from({ length }, (_, index) => (index * 31) & 0xff);
      expect(sha256Hex(bytes)).toBe(reference(bytes));
    }
  });

  it('[C46] agrees with the platform on any text, lone surrogates included, and any bytes', () => {
    fc.assert(
      fc.property(fc.oneof(arbitraryText, fc.uint8Array({ maxLength: 300 })), (input) => {
        expect(sha256Hex(input)).toBe(reference(input));
      }),
      { numRuns: 1000 },
    );
  });

  it('[C46] agrees with the platform past the size of its own buffer', () => {
    for (const text of ['a'.repeat(64 * 1024), '🌳'.repeat(20_000), `${'é'.repeat(22_000)}\ud800`]) {
      expect(sha256Hex(text)).toBe(reference(text));
    }
    expect(sha256Hex(new Uint8Array(70_000).fill(7))).toBe(reference(new Uint8Array(70_000).fill(7)));
    expect(sha256Hex('abc')).toBe(reference('abc'));
  });
});

describe('bytes', () => {
  it('[C7] counts the bytes of a text as the platform does', () => {
    fc.assert(
      fc.property(arbitraryText, (text) => {
        expect(utf8Length(text)).toBe(Buffer.byteLength(text));
      }),
      { numRuns: 500 },
    );
  });

  it('[C47] decodes base64 like the platform, and refuses everything else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const text = Buffer.from(bytes).toString('base64');
        expect(isBase64(text)).toBe(true);
        expect(base64Length(text)).toBe(bytes.length);
        expect(Buffer.from(fromBase64(text)).equals(bytes)).toBe(true);
        expect(toBase64(bytes)).toBe(text);
      }),
    );
    for (const text of ['a', 'ab', 'abc', 'ab c', 'a=bc', '====', 'ab-_', 'abcé', 'ab\n=', 'a==='])
      expect(isBase64(text)).toBe(false);
  });
});
