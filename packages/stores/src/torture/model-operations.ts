/** Converts random operations to commands for the stores and calls of the model. */
import { type Command, type NodeId, nodeId, type TreeId, textMessage } from '@coppice/core';
import fc from 'fast-check';
import { deriveId } from '../linear.ts';
import type { TreeModel } from './model.ts';

const kinds = [
  'append',
  'edit',
  'save',
  'split',
  'join',
  'reply',
  'select',
  'navigate',
  'splice',
  'cascade',
  'clear',
  'move',
  'bookmark',
  'undo',
  'redo',
] as const;

/** A random operation. It refers to nodes by number, so that it stays valid when a failing list is shortened. */
export interface ModelOperation {
  readonly kind: (typeof kinds)[number];
  readonly node: number;
  readonly other: number;
  readonly texts: readonly string[];
  readonly choice: number;
}

const words = fc.constantFrom(
  'a',
  'b',
  'c',
  'one two',
  'one three',
  '🌲🌳 tree',
  '',
  ' ',
  '\n',
  'nul \u0000 x',
  'lone \ud800 x',
  '__proto__',
);
export const arbitraryModelOperation: fc.Arbitrary<ModelOperation> = fc.record({
  kind: fc.oneof(
    { weight: 8, arbitrary: fc.constant('append' as const) },
    { weight: 12, arbitrary: fc.constantFrom(...kinds.filter((kind) => kind !== 'clear')) },
    { weight: 1, arbitrary: fc.constant('clear' as const) },
  ),
  node: fc.nat(999),
  other: fc.nat(999),
  texts: fc.array(words, { minLength: 1, maxLength: 3 }),
  choice: fc.nat(63),
});

/** An operation as a command for the stores, and as a call of the model. */
export interface TranslatedOperation {
  readonly command: Command;
  apply(): void;
}

const unknown = nodeId('ffffffff-ffff-7fff-8fff-ffffffffffff');

/**
 * Translates an operation to a command and a call of the model. Returns null if the rules allow too many results to
 * compare them.
 */
export function translateOperation(
  op: ModelOperation,
  index: number,
  model: TreeModel,
  tree: TreeId,
  cut: boolean,
): TranslatedOperation | null {
  const ids = [...model.state.nodes.keys()].filter((id) => id !== model.root);
  const pick = (number: number): NodeId => {
    if (number > 990) return unknown;
    if (number > 970 || ids.length === 0) return nodeId(model.root);
    return nodeId(ids[number % ids.length] ?? model.root);
  };
  const fresh = (at: number) => deriveId('model', tree, index, at);
  const node = pick(op.node);
  // After a split, stores match the old text by its parts, which the model cannot. Unique texts avoid this case.
  const texts = op.texts.map((text) => (cut && text.trim() !== '' ? `${text} ${index}` : text));
  const text = texts[0] ?? '';
  switch (op.kind) {
    case 'append': {
      const parent = op.choice % 3 === 0 ? (model.state.active ?? model.root) : node;
      const role = (at: number) =>
        (['user', 'assistant', 'tool'] as const)[(at + op.choice) % (op.choice % 8 === 7 ? 3 : 2)] ?? 'user';
      const items = texts.map((one, at) => ({ id: fresh(at), role: role(at), text: one }));
      const select = op.choice < 48;
      const messages = items.map((item, at) => ({
        id: item.id,
        message: { ...textMessage(role(at), item.text), ...(item.role === 'tool' ? { tool_call_id: 'call' } : {}) },
      }));
      const below = op.choice % 3 === 0 ? {} : { parentId: nodeId(parent) };
      // With chosen ids, a store reuses equal messages only if the command asks for it.
      const merges = op.choice % 4 < 3;
      return {
        command: { type: 'append', treeId: tree, messages, select, ...below, ...(merges ? { merge: true } : {}) },
        apply: () => model.append(parent, items, select, merges),
      };
    }
    case 'edit':
      return {
        command: { type: 'edit', treeId: tree, nodeId: node, content: text, id: fresh(0) },
        apply: () => model.edit(node, fresh(0), text),
      };
    case 'save':
      return {
        command: { type: 'edit', treeId: tree, nodeId: node, content: text, mode: 'in-place' },
        apply: () => model.save(node, text),
      };
    case 'split': {
      const position = op.choice % 9;
      const said = model.state.nodes.get(node)?.text ?? '';
      // Stores refuse to cut inside a grapheme, which the model does not know.
      if (/[\ud800-\udfff]/.test(said.slice(Math.max(0, position - 4), position + 4))) return null;
      return {
        command: { type: 'split', treeId: tree, nodeId: node, position, id: fresh(0) },
        apply: () => model.split(node, fresh(0), position),
      };
    }
    case 'join':
      return { command: { type: 'join', treeId: tree, nodeId: node }, apply: () => model.join(node) };
    case 'reply': {
      const items = texts.filter((one) => one.trim() !== '').map((one, at) => ({ id: fresh(at), text: one }));
      if (items.length === 0) return null;
      const replies = items.map((item) => ({ id: item.id, message: textMessage('assistant', item.text) }));
      return {
        command: { type: 'reply', treeId: tree, parentId: node, replies },
        apply: () => model.reply(node, items),
      };
    }
    case 'select':
      return { command: { type: 'select', treeId: tree, nodeId: node }, apply: () => model.select(node) };
    case 'navigate': {
      const direction = op.choice % 2 === 0 ? 'next' : 'previous';
      return {
        command: { type: 'navigate', treeId: tree, nodeId: node, direction },
        apply: () => model.navigate(node, direction === 'next' ? 1 : -1),
      };
    }
    case 'splice':
    case 'cascade':
      return {
        command: { type: 'delete', treeId: tree, nodeIds: [node], mode: op.kind },
        apply: () => model[op.kind === 'splice' ? 'splice' : 'cascade'](node),
      };
    case 'clear':
      return { command: { type: 'clear', treeId: tree }, apply: () => model.clear() };
    case 'move': {
      const parent = pick(op.other);
      if (model.state.nodes.get(node)?.parent === parent) return null;
      return {
        command: { type: 'move', treeId: tree, nodeId: node, parentId: parent },
        apply: () => model.move(node, parent),
      };
    }
    case 'bookmark': {
      const title = op.choice % 4 === 0 ? null : `mark ${op.choice % 3}`;
      return {
        command: { type: 'bookmark', treeId: tree, nodeId: node, title },
        apply: () => model.bookmark(node, title),
      };
    }
    case 'undo':
    case 'redo':
      return {
        command: { type: op.kind, treeId: tree },
        apply: () => (op.kind === 'undo' ? model.undo() : model.redo()),
      };
  }
}
