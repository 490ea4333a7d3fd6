import { type Message, nodeId, run, textMessage, treeId } from '@coppice/core';
import { createTestClock, ReferenceStore } from '@coppice/core/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toBase64 } from '../base64.ts';
import { canonicalJson } from '../canonical-json.ts';
import { messageKit } from '../kit.ts';
import { sha256Hex } from '../sha256.ts';
import { arbitraryMessage, arbitraryObject } from '../testing/arbitraries.ts';
import { runWithoutPauses } from './cooperative.ts';
import { readExportedTree } from './exporting.ts';
import { deriveImportedNodeId, deriveImportedTreeId } from './ids.ts';
import { moveInlineBytes, restoreRecordBytes } from './move-inline-bytes.ts';
import { buildImportMetadata, originalRecordOf, packRecord, unpackRecord } from './original-record.ts';

describe('a source record', () => {
  const text = 'A text that is long enough to be worth a pointer, and then some.';

  it('[I58] shares its texts with the message, and is restored completely', () => {
    const message = textMessage('user', text);
    const record = { id: 1, text, nested: { parts: [text, 'short'] }, odd: [{ $text: 7 }, { $$text: 'x' }] };
    const packed = packRecord(record, message);
    expect(JSON.stringify(packed)).not.toContain('long enough');
    expect(unpackRecord(packed, message)).toEqual(record);
    expect(unpackRecord(packed, textMessage('user', 'other'))).toBeUndefined();
  });

  it('[I58] is restored completely whatever it contains', () => {
    fc.assert(
      fc.property(arbitraryObject, arbitraryMessage, fc.nat(3), (object, message, depth) => {
        let record = JSON.parse(JSON.stringify(object));
        for (let level = 0; level < depth; level++) record = { message, record, $text: depth };
        const back = unpackRecord(packRecord(record, message), message);
        expect(canonicalJson(back ?? null)).toBe(canonicalJson(record));
      }),
      { numRuns: 500 },
    );
  });

  it('[I238] refers to moved bytes, also inside longer texts, and gets them back for an export', async () => {
    const picture = Uint8Array.from({ length: 90 }, (_, at) => at);
    const data = toBase64(picture);
    const content = [{ type: 'image', mediaType: 'image/png', source: { type: 'base64', data } }];
    const record = { raw: data, parts: [`<a ${data}><b ${data}>`], odd: { $bytes: [0] }, short: 'x' };
    const message: Message = { role: 'user', content };
    const imported = buildImportMetadata({ format: 'f', scope: '', id: 'x' }, message, record);
    const id = treeId('00000000-0000-7000-8000-000000000001');
    const node = {
      id: nodeId('00000000-0000-7000-8000-000000000002'),
      parentId: null,
      order: 0,
      message,
      meta: { imported },
    };
    const command = { type: 'import' as const, treeId: id, nodes: [node] };
    const storable = { command, names: [], sources: new Map(), parts: 0 };
    const { tree: moved, blobs } = runWithoutPauses(moveInlineBytes(storable));
    expect(JSON.stringify(moved.command)).not.toContain(data);
    expect(blobs.map(({ hash }) => hash)).toEqual([sha256Hex(picture)]);
    const store = new ReferenceStore();
    await run(store, moved.command, { actor: 'me', kit: messageKit, ...createTestClock() });
    const exported = await store.read(id, () => readExportedTree(id));
    const restored = await restoreRecordBytes(exported, { now: 0, blob: async () => picture });
    expect(restored.nodes.map((one) => originalRecordOf(one, 'f'))).toEqual([
      { id: 'x', scope: '', record, unchanged: true },
    ]);
    const missing = await restoreRecordBytes(exported, { now: 0, blob: async () => null });
    expect(missing.nodes.map((one) => originalRecordOf(one, 'f')?.record)).toEqual([undefined]);
  });

  it('[I58] is returned only to its format, and shows whether the message is unchanged', () => {
    const message = textMessage('user', text);
    const imported = buildImportMetadata({ format: 'f', scope: 's', id: 'x' }, message, { text });
    expect(originalRecordOf({ meta: { imported }, message }, 'f')).toEqual({
      id: 'x',
      scope: 's',
      record: { text },
      unchanged: true,
    });
    expect(originalRecordOf({ meta: { imported }, message }, 'g')).toBeUndefined();
    const edited = textMessage('user', `${text} `);
    expect(originalRecordOf({ meta: { imported }, message: edited }, 'f')?.unchanged).toBe(false);
    expect(originalRecordOf({ meta: { imported: 7 }, message }, 'f')).toBeUndefined();
  });

  it('[I59] gets the same ids for the same source, and other ids for another source', () => {
    const origin = { owner: 'me', format: 'f', scope: '', id: 'c' };
    const tree = deriveImportedTreeId(origin);
    expect(tree).toBe(deriveImportedTreeId({ ...origin }));
    const others = [{ owner: 'you' }, { format: 'g' }, { scope: 's' }, { id: 'd' }].map((one) =>
      deriveImportedTreeId({ ...origin, ...one }),
    );
    expect(new Set([tree, ...others]).size).toBe(5);
    const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
    for (const id of [tree, ...others, deriveImportedNodeId(tree, 'n')]) expect(id).toMatch(uuid);
    expect(deriveImportedNodeId(tree, 'n')).not.toBe(deriveImportedNodeId(tree, 'm'));
    expect(deriveImportedNodeId(tree, 'n').slice(0, 13)).toBe(tree.slice(0, 13));
  });
});
