import fc from 'fast-check';
import { deflateSync, strToU8, unzipSync } from 'fflate';
import { expect, it } from 'vitest';
import { joinBytes } from './bytes.ts';
import { openInput, readAllBytes, wrapBytesAsFile } from './input.ts';
import { buildZipDescriptor, buildZipDirectory, buildZipHeader, crc32, type ZipMember } from './zip-write.ts';

interface Given {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly method: ZipMember['method'];
}

/**
 * Builds an archive. With `described`, a data descriptor after the bytes of each file has its checksum and sizes, as in
 * a stream; otherwise they are in its header.
 */
function archiveOf(files: readonly Given[], described: boolean): Uint8Array {
  const pieces: Uint8Array[] = [];
  const members: ZipMember[] = [];
  let at = 0;
  const put = (bytes: Uint8Array): void => {
    pieces.push(bytes);
    at += bytes.length;
  };
  for (const { name, bytes, method } of files) {
    const packed = method === 'store' ? bytes : deflateSync(bytes);
    const member = { name, method, crc: crc32(bytes), packed: packed.length, size: bytes.length, offset: at };
    put(buildZipHeader(member, described ? undefined : member));
    put(packed);
    if (described) put(buildZipDescriptor(member));
    members.push(member);
  }
  for (const bytes of buildZipDirectory(members, at, described)) put(bytes);
  return joinBytes(pieces);
}

it('[I170] an archive that is written piece by piece is read back by us and by other programs, with the same names and bytes', async () => {
  const file = fc.record({
    name: fc.stringMatching(/^[a-zé]{1,8}(\/[a-z]{1,8})?\.json$/),
    bytes: fc.uint8Array({ maxLength: 2_000 }),
    method: fc.constantFrom('store' as const, 'deflate' as const),
  });
  const files = fc.uniqueArray(file, { selector: (one) => one.name, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(files, fc.boolean(), async (given, described) => {
      const archive = archiveOf(given, described);
      const members = (await openInput({ files: [wrapBytesAsFile('x.zip', archive)] })).files;
      expect(members.map((member) => member.name)).toEqual(given.map((one) => one.name));
      for (const [index, member] of members.entries())
        expect(await readAllBytes(member)).toEqual(new Uint8Array(given[index]?.bytes ?? []));
      expect(unzipSync(archive)).toEqual(Object.fromEntries(given.map((one) => [one.name, one.bytes])));
    }),
    { numRuns: 60 },
  );
});

it('[I170] an archive with more members than the classic end record can count is written as ZIP64', async () => {
  const files = Array.from({ length: 65_600 }, (_, index) => ({
    name: `${index}.txt`,
    bytes: strToU8(String(index)),
    method: 'store' as const,
  }));
  const members = (await openInput({ files: [wrapBytesAsFile('x.zip', archiveOf(files, false))] })).files;
  expect(members.length).toBe(65_600);
  const last = members.at(-1);
  expect(last === undefined ? null : await readAllBytes(last)).toEqual(strToU8('65599'));
});

it('[I170] a member larger than 4 GB is refused, and one that starts past 4 GB is found', () => {
  const far = { name: 'a', method: 'store', crc: 1, packed: 1, size: 1, offset: 5 * 1024 ** 3 } as const;
  expect(() => buildZipDescriptor({ ...far, size: 5 * 1024 ** 3 })).toThrow('4 GB');
  const [entry = new Uint8Array()] = buildZipDirectory([far], 6 * 1024 ** 3, false);
  const view = new DataView(entry.buffer, entry.byteOffset);
  expect(view.getUint32(42, true)).toBe(0xffffffff);
  expect(Number(view.getBigUint64(46 + 1 + 4, true))).toBe(far.offset);
});
