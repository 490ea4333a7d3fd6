import { gzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { joinBytes } from './bytes.ts';
import { encodeUtf8 } from './decode.ts';
import { type InputFile, openInput, wrapBytesAsFile, wrapStreamAsFile } from './input.ts';
import { readImport } from './read.ts';
import type { ZipLimits } from './zip.ts';

const conversation = (id: string) => ({ id, title: id, messages: [{ role: 'user', content: `Hello from ${id}` }] });
const document = encodeUtf8(JSON.stringify([conversation('a'), conversation('b')]));
const lines = encodeUtf8(`${JSON.stringify(conversation('a'))}\n${JSON.stringify(conversation('b'))}\n`);

async function read(file: InputFile, zip: Partial<ZipLimits> = {}) {
  const places: string[] = [];
  const titles: (string | undefined)[] = [];
  for await (const event of readImport({ files: [file] }, { zip }))
    if (event.type === 'tree') {
      places.push(event.tree.place);
      titles.push(event.tree.title);
    }
  return { places, titles };
}

async function* inPieces(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe('a file compressed with gzip', () => {
  test.each([
    ['chats.json.gz', document, ['chats.json[0]', 'chats.json[1]']],
    ['chats.jsonl.gz', lines, ['chats.jsonl:1', 'chats.jsonl:2']],
    ['chats', document, ['chats[0]', 'chats[1]']],
  ])(
    '[I145] is read as its content (%s), however its bytes are split, as a file and as a pipe',
    async (name, bytes, places) => {
      const packed = gzipSync(bytes);
      for (const piece of [1, 7, 64 * 1024])
        expect(await read(wrapBytesAsFile(name, packed, piece))).toEqual({ places, titles: ['a', 'b'] });
      expect(await read(await wrapStreamAsFile(name, inPieces(packed, 11)))).toEqual({ places, titles: ['a', 'b'] });
    },
  );

  test('[I145] may have several gzip members, one after the other', async () => {
    const half = document.length >> 1;
    const packed = joinBytes([gzipSync(document.subarray(0, half)), gzipSync(document.subarray(half))]);
    for (const piece of [1, 13, packed.length])
      expect((await read(wrapBytesAsFile('chats.json.gz', packed, piece))).titles).toEqual(['a', 'b']);
  });

  test('[I145] is detected as lines even if its first line is longer than the part that is examined', async () => {
    const messages = Array.from({ length: 2_000 }, (_, at) => ({ role: 'user', content: `Line ${at * 7919}` }));
    const long = { ...conversation('a'), messages };
    const packed = gzipSync(encodeUtf8(`${JSON.stringify(long)}\n${JSON.stringify(conversation('b'))}\n`));
    expect((await read(wrapBytesAsFile('chats.jsonl.gz', packed))).titles).toEqual(['a', 'b']);
  });

  test('[I146] that is truncated or damaged anywhere is refused as damaged', async () => {
    const packed = gzipSync(document);
    for (let end = 20; end < packed.length; end++)
      await expect(read(wrapBytesAsFile('chats.json.gz', packed.subarray(0, end)))).rejects.toMatchObject({
        code: 'import/damaged',
      });
    const changed = Uint8Array.from(packed);
    changed[packed.length - 6] = (changed[packed.length - 6] ?? 0) ^ 1;
    await expect(read(wrapBytesAsFile('chats.json.gz', changed))).rejects.toMatchObject({ code: 'import/damaged' });
  });

  test('[I146] that unpacks to far more than its size or the limit is refused early', async () => {
    const zeros = joinBytes([
      encodeUtf8('[{"id":"a","messages":[{"role":"user","content":"'),
      new Uint8Array(12 * 1024 * 1024).fill(0x20),
    ]);
    const bomb = wrapBytesAsFile('chats.json.gz', gzipSync(zeros));
    let unpacked = 0;
    const [file] = (await openInput({ files: [bomb] })).files;
    const reading = async () => {
      for await (const bytes of file?.stream() ?? []) unpacked += bytes.length;
    };
    await expect(reading()).rejects.toMatchObject({ code: 'import/unsafe-archive' });
    expect(unpacked).toBeLessThan(zeros.length / 2);
    await expect(read(wrapBytesAsFile('chats.json.gz', gzipSync(document)), { bytes: 10 })).rejects.toMatchObject({
      code: 'import/unsafe-archive',
    });
  });
});
