import { isAppError, type NodeId, run, type Tree, type TreeId, textMessage, textOf } from '@coppice/core';
import { createTestClock } from '@coppice/core/testing';
import { childIds, findNode } from '@coppice/core/tree';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageKit } from '../kit.ts';
import { exportStoredTrees, importIntoStore, readStoredTree, type StoredImport, toImportInput } from './conformance.ts';
import { findFormat, formats } from './formats.ts';

/** Builds an export. Each number, modulo the messages before it, chooses the parent of one message. */
function exportOf(parents: readonly number[]): string {
  const idOf = (at: number) => (at < 0 ? 'r' : `n${at}`);
  const above = parents.map((wish, at) => (at === 0 ? -1 : (wish % (at + 1)) - 1));
  const below = (id: string) => above.flatMap((parent, at) => (idOf(parent) === id ? [idOf(at)] : []));
  const depth: number[] = [];
  for (const parent of above) depth.push(parent < 0 ? 0 : (depth[parent] ?? 0) + 1);
  const said = (at: number) => ({
    id: idOf(at),
    author: { role: (depth[at] ?? 0) % 2 === 0 ? 'user' : 'assistant', name: null, metadata: {} },
    create_time: 1_760_000_000 + at,
    update_time: null,
    content: { content_type: 'text', parts: [`text ${at}`] },
    status: 'finished_successfully',
    end_turn: true,
    weight: 1,
    metadata: {},
    recipient: 'all',
  });
  const nodes = above.map((parent, at) => ({
    id: idOf(at),
    parent: idOf(parent),
    children: below(idOf(at)),
    message: said(at),
  }));
  const root = { id: 'r', parent: null, children: below('r'), message: null };
  const mapping = Object.fromEntries([root, ...nodes].map((one) => [one.id, one]));
  return JSON.stringify([{ title: 'Trees', conversation_id: 'c1', current_node: nodes.at(-1)?.id ?? 'r', mapping }]);
}

const acts = ['move', 'splice', 'cascade', 'edit', 'in-place', 'append', 'aside', 'select', 'split'] as const;
type Act = { readonly what: (typeof acts)[number]; readonly which: number; readonly where: number };

function commandOf({ what, which, where }: Act, tree: Tree, at: number) {
  const said = messagesOf(tree);
  const treeId = tree.id;
  const nodeId = said[which % said.length];
  if (nodeId === undefined) return undefined;
  const places: readonly NodeId[] = [tree.rootId, ...said];
  const parentId = places[where % places.length] ?? tree.rootId;
  const messages = [
    { message: textMessage('user', `new ${at}`) },
    { message: textMessage('assistant', `reply ${at}`) },
  ];
  switch (what) {
    case 'move':
      return { type: 'move', treeId, nodeId, parentId } as const;
    case 'splice':
    case 'cascade':
      return { type: 'delete', treeId, nodeIds: [nodeId], mode: what } as const;
    case 'edit':
      return { type: 'edit', treeId, nodeId, content: `edited ${at}` } as const;
    case 'in-place':
      return { type: 'edit', treeId, nodeId, content: `put ${at}`, mode: 'in-place' } as const;
    case 'append':
    case 'aside':
      return { type: 'append', treeId, parentId, messages, select: what === 'append' } as const;
    case 'select':
      return { type: 'select', treeId, nodeId } as const;
    case 'split':
      return { type: 'split', treeId, nodeId, position: 2 } as const;
  }
}

function messagesOf(tree: Tree): NodeId[] {
  const found: NodeId[] = [];
  const stack: NodeId[] = [tree.rootId];
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    if (findNode(tree, id)?.kind === 'message') found.push(id);
    for (const child of childIds(tree, id).reverse()) stack.push(child);
  }
  return found;
}

/** Returns the texts of a tree with their depth, and a mark on the active node. */
function shapeOf(tree: Tree, marked: boolean): string {
  const lines: string[] = [];
  const stack: { readonly id: NodeId; readonly depth: number }[] = [{ id: tree.rootId, depth: 0 }];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const found = findNode(tree, at.id);
    const shown = found?.kind === 'message' && found.message !== null ? found.message : undefined;
    if (shown !== undefined)
      lines.push(
        `${'  '.repeat(at.depth)}${shown.role}: ${textOf(shown)}${marked && at.id === tree.activeNodeId ? ' *' : ''}`,
      );
    const depth = shown === undefined ? at.depth : at.depth + 1;
    for (const id of childIds(tree, at.id).reverse()) stack.push({ id, depth });
  }
  return lines.join('\n');
}

function only(stored: StoredImport): TreeId {
  const [id] = stored.ids;
  if (id === undefined) throw new Error('There is no tree.');
  return id;
}

const long = process.env.COPPICE_LONG === '1';
const branching = formats.filter(({ reader, writer }) => reader && writer && !('branches' in writer.loses));

describe('a tree that was rearranged here', () => {
  it.each(branching.map((format) => [format.name, format] as const))(
    '[I34] is exported as it is now and read back the same, parents before children, as %s',
    async (name, format) => {
      const chatgpt = findFormat('chatgpt');
      if (chatgpt === undefined) throw new Error('There is no such format.');
      const marked = format.writer?.loses.active === undefined;
      const act = fc.record({ what: fc.constantFrom(...acts), which: fc.nat(), where: fc.nat() });
      const trees = fc.array(fc.nat(), { minLength: 2, maxLength: 10 });
      await fc.assert(
        fc.asyncProperty(trees, fc.array(act, { minLength: 1, maxLength: 4 }), async (parents, wishes) => {
          // Writes and reads the tree in this format first, so that the records to rearrange are its own.
          const first = await importIntoStore(toImportInput({ 'c.json': exportOf(parents) }), { format: 'chatgpt' });
          const { files } = await exportStoredTrees(first, format);
          const stored = await importIntoStore(toImportInput(Object.fromEntries(files)), { format: name });
          const id = only(stored);
          const env = { actor: 'me', kit: messageKit, ...createTestClock(9) };
          for (const [at, wish] of wishes.entries()) {
            const command = commandOf(wish, readStoredTree(stored, id), at);
            if (command === undefined) break;
            await run(stored.store, command, env).catch((error: unknown) => {
              if (!isAppError(error)) throw error;
            });
          }
          const tree = readStoredTree(stored, id);
          // After a delete an imported marker may be active, which files cannot express.
          const shown = marked && findNode(tree, tree.activeNodeId ?? '')?.kind === 'message';
          if (messagesOf(tree).length === 0) return;
          const out = await exportStoredTrees(stored, format);
          const again = await importIntoStore(toImportInput(Object.fromEntries(out.files)), { format: name });
          expect(shapeOf(readStoredTree(again, only(again)), shown)).toBe(shapeOf(tree, shown));
          expect(
            again.findings.filter(({ code, severity }) => severity !== 'note' || code === 'import/forward-parent'),
          ).toEqual([]);
        }),
        { numRuns: long ? 1000 : 6 },
      );
    },
  );
});
