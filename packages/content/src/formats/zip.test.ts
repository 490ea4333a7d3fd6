import { isAppError } from '@coppice/core';
import fc from 'fast-check';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { type ImportInput, openInput, readAllBytes, wrapBytesAsFile } from './input.ts';
import { crc32, type ZipLimits } from './zip.ts';

const archive = (bytes: Uint8Array): ImportInput => ({ files: [wrapBytesAsFile('x.zip', bytes)] });

async function opened(bytes: Uint8Array, limits?: Partial<ZipLimits>): Promise<Map<string, Uint8Array>> {
  const members = new Map<string, Uint8Array>();
  for (const file of (await openInput(archive(bytes), limits)).files) members.set(file.name, await readAllBytes(file));
  return members;
}

/** Replaces a name in an archive by another of the same length, as an attacker could. */
function renamed(bytes: Uint8Array, from: string, to: string): Uint8Array {
  const copy = bytes.slice();
  const [old, fresh] = [strToU8(from), strToU8(to)];
  for (let at = 0; at + old.length <= copy.length; at++)
    if (old.every((byte, index) => copy[at + index] === byte)) copy.set(fresh, at);
  return copy;
}

describe('an archive', () => {
  const text = strToU8('hello '.repeat(1000));

  it('[I55] gives its members, compressed or not, with their names', async () => {
    const members = await opened(
      zipSync({ 'a/b.txt': text, 'é.json': [strToU8('{}'), { level: 0 }], empty: new Uint8Array() }),
    );
    expect([...members.keys()]).toEqual(['a/b.txt', 'é.json', 'empty']);
    expect(members.get('a/b.txt')).toEqual(text);
    expect(members.get('é.json')).toEqual(strToU8('{}'));
    expect(crc32(strToU8('123456789'))).toBe(0xcbf43926);
  });

  it.each([
    ['../../etc', 'leads out of the archive'],
    ['/tmp/x.js', 'has an absolute path'],
    ['C:/tmp.js', 'has an absolute path'],
    ['a\\b/c.jso', 'has a backslash'],
    ['a/../../b', 'leads out'],
  ])('[I56] with a member named %s is refused before anything is unpacked', async (name, why) => {
    const bytes = renamed(zipSync({ abcdefghi: text }), 'abcdefghi', name);
    await expect(opened(bytes)).rejects.toMatchObject({
      code: 'import/unsafe-archive',
      message: expect.stringContaining(why),
    });
  });

  it('[I56] with links, encryption, too many members or too much data is refused', async () => {
    const link = zipSync({ l: [strToU8('/etc/passwd'), { os: 3, attrs: 0o120777 << 16 }] });
    await expect(opened(link)).rejects.toMatchObject({ code: 'import/unsafe-archive' });
    const plain = zipSync({ a: text, b: text });
    await expect(opened(plain, { members: 1 })).rejects.toMatchObject({ code: 'import/unsafe-archive' });
    await expect(opened(plain, { bytes: 7000 })).rejects.toMatchObject({ code: 'import/unsafe-archive' });
    const bomb = zipSync({ a: new Uint8Array(4 * 1024 * 1024) });
    await expect(opened(bomb)).rejects.toMatchObject({
      code: 'import/unsafe-archive',
      message: expect.stringContaining('100 times'),
    });
  });

  it('[I57] that is truncated or damaged is refused as damaged, wherever the damage is', async () => {
    const bytes = zipSync({ 'a.json': text, 'b.json': strToU8('[1,2,3]') });
    await expect(opened(bytes.slice(0, -30))).rejects.toMatchObject({ code: 'import/damaged' });
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(7), async (at, bit) => {
        const hurt = bytes.slice();
        hurt[at] = (hurt[at] ?? 0) ^ (1 << bit);
        try {
          const members = await opened(hurt);
          // Damage that leaves the contents intact, for example to a date, is accepted.
          for (const member of members.values()) expect([text, strToU8('[1,2,3]'), hurt]).toContainEqual(member);
        } catch (error) {
          if (!isAppError(error)) throw error;
          expect(error.code).toMatch(/^import\/(?:damaged|unsafe-archive)$/);
        }
      }),
      { numRuns: 300 },
    );
  });
});
