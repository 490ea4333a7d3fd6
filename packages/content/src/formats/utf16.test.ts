import { describe, expect, it } from 'vitest';
import { importIntoStore, toImportInput } from './conformance.ts';
import { wrapBytesAsFile, wrapStreamAsFile } from './input.ts';

/** Encodes a text as UTF-16 with a byte order mark. */
function utf16(text: string, order: 'little' | 'big'): Uint8Array {
  const units = `\ufeff${text}`;
  const bytes = new Uint8Array(units.length * 2);
  const view = new DataView(bytes.buffer);
  for (let at = 0; at < units.length; at++) view.setUint16(at * 2, units.charCodeAt(at), order === 'little');
  return bytes;
}

const said = 'Grün 🌳 — ok';
const list = JSON.stringify([{ role: 'user', content: said }]);

async function* inPieces(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}

describe.each(['little', 'big'] as const)('a document in UTF-16, %s end first', (order) => {
  it('[I143] is decoded however its bytes are split, as a file and as a pipe', async () => {
    const bytes = utf16(list, order);
    const pipe = await wrapStreamAsFile('a.json', inPieces(bytes, 5));
    for (const file of [...[1, 3, 4, 64].map((piece) => wrapBytesAsFile('a.json', bytes, piece)), pipe]) {
      const { trees, findings } = await importIntoStore({ files: [file] });
      expect(trees[0]?.nodes[0]?.message.content).toEqual([{ type: 'text', text: said }]);
      expect(findings).toEqual([]);
    }
  });

  it('[I143] that is truncated inside a code unit is reported as truncated', async () => {
    const { findings } = await importIntoStore(toImportInput({ 'a.json': utf16(list, order).slice(0, -3) }), {
      format: 'linear',
    });
    expect(findings.map(({ code }) => code)).toContain('import/record-unreadable');
  });

  it('[I143] is decoded only as a document: a text attachment stays unchanged', async () => {
    const asset = { content_type: 'image_asset_pointer', asset_pointer: 'sediment://file_1' };
    const message = { author: { role: 'user' }, content: { content_type: 'multimodal_text', parts: [asset] } };
    const text = utf16('Notes', order);
    const conversation = { id: 'c', mapping: { a: { id: 'a', parent: null, message } } };
    const { trees } = await importIntoStore(
      toImportInput({ 'c.json': JSON.stringify([conversation]), 'file_1.txt': text }),
    );
    const [blob] = trees[0]?.blobs ?? [];
    expect(await blob?.read()).toEqual(text);
  });
});
