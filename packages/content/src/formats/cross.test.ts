import { type Tree, type TreeId, textOf } from '@coppice/core';
import { childIds, findNode } from '@coppice/core/tree';
import { describe, expect, it } from 'vitest';
import { exportStoredTrees, importIntoStore, readStoredTree, type StoredImport, toImportInput } from './conformance.ts';
import { findFormat, formats } from './formats.ts';

const say = (id: string, role: string, text: string, at: number) => ({
  id,
  author: { role, name: null, metadata: {} },
  create_time: 1_760_000_000 + at,
  update_time: null,
  content: { content_type: 'text', parts: [text] },
  status: 'finished_successfully',
  end_turn: true,
  weight: 1,
  metadata: role === 'assistant' ? { model_slug: 'm-x' } : {},
  recipient: 'all',
});

const node = (id: string, parent: string | null, children: readonly string[], message: object | null) => ({
  id,
  parent,
  children,
  message,
});

// Edits, regenerations, an edited first message, and an active node that is not the newest one.
const nodes = [
  node('r', null, ['u1', 'u9'], null),
  node('u1', 'r', ['a1', 'a2', 'a3'], say('u1', 'user', 'Which tree?', 1)),
  node('a1', 'u1', [], say('a1', 'assistant', 'An oak.', 2)),
  node('a2', 'u1', ['u2', 'u3'], say('a2', 'assistant', 'A lime.', 3)),
  node('a3', 'u1', [], say('a3', 'assistant', 'An ash.', 4)),
  node('u2', 'a2', ['a4'], say('u2', 'user', 'Why?', 5)),
  node('a4', 'u2', [], say('a4', 'assistant', 'It smells.', 6)),
  node('u3', 'a2', ['a5'], say('u3', 'user', 'Where?', 7)),
  node('a5', 'u3', [], say('a5', 'assistant', 'By the church.', 8)),
  node('u9', 'r', ['a9'], say('u9', 'user', 'Which bush?', 9)),
  node('a9', 'u9', [], say('a9', 'assistant', 'A hazel.', 10)),
];

const source = JSON.stringify([
  {
    title: 'Trees',
    create_time: 1_760_000_000,
    update_time: 1_760_000_010,
    mapping: Object.fromEntries(nodes.map((one) => [one.id, one])),
    current_node: 'a4',
    conversation_id: 'c1',
    id: 'c1',
  },
]);

/** Removes the mark of the active node, for formats that report that they cannot store it. */
const unplaced = (lines: readonly string[]) => lines.map((line) => line.replace(/ \*$/, ''));

/** Returns the texts of a tree, each with the text of its parent, siblings in order. Markers are skipped. */
function shapeOf(tree: Tree): readonly string[] {
  const lines: string[] = [];
  const stack: { readonly id: string; readonly above: string }[] = [{ id: tree.rootId, above: '' }];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const found = findNode(tree, at.id);
    const text = found?.message == null || found.kind !== 'message' ? undefined : textOf(found.message);
    if (text !== undefined) lines.push(`${at.above} > ${text}${at.id === tree.activeNodeId ? ' *' : ''}`);
    for (const id of childIds(tree, at.id).reverse()) stack.push({ id, above: text ?? at.above });
  }
  return lines;
}

function only(stored: StoredImport): Tree {
  const ids: ReadonlySet<TreeId> = new Set(stored.ids);
  const [id] = ids;
  if (id === undefined || ids.size !== 1) throw new Error(`There are ${ids.size} trees.`);
  return readStoredTree(stored, id);
}

const chatgpt = findFormat('chatgpt');
const others = formats.filter(({ reader, writer }) => reader && writer && !('branches' in writer.loses));

describe('converting to another format and back', () => {
  it.each(others.map((format) => [format.name, format] as const))(
    '[I30] through %s a tree keeps its shape, texts, order and active message',
    async (_name, format) => {
      if (chatgpt === undefined) throw new Error('There is no such format.');
      const first = await importIntoStore(toImportInput({ 'conversations.json': source }), { format: 'chatgpt' });
      const shape = shapeOf(only(first));
      expect(shape.length).toBe(10);
      const there = await exportStoredTrees(first, format);
      const second = await importIntoStore(toImportInput(Object.fromEntries(there.files)), { format: format.name });
      const seen = 'active' in (format.writer?.loses ?? {}) ? unplaced : (lines: readonly string[]) => lines;
      expect(seen(shapeOf(only(second)))).toEqual(seen(shape));
      const back = await exportStoredTrees(second, chatgpt);
      const third = await importIntoStore(toImportInput(Object.fromEntries(back.files)), { format: 'chatgpt' });
      expect(seen(shapeOf(only(third)))).toEqual(seen(shape));
      for (const { report } of [there, back])
        for (const loss of report.losses)
          expect(Object.keys(findFormat(report.format)?.writer?.loses ?? {})).toContain(loss.what);
    },
  );
});
