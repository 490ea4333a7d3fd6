import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageKit } from '@coppice/content';
import {
  ask,
  type Command,
  isAppError,
  type NodeId,
  nodeId,
  type RunContext,
  run,
  type Store,
  textMessage,
  treeId,
} from '@coppice/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openStore } from '../index.ts';
import { open } from './index.ts';

const id = treeId('00000000-0000-7000-9000-000000000000');
const rootId = nodeId('00000000-0000-7000-9000-000000000001');

/** A change between two requests that send the same history. Nodes are numbered by creation. */
type Deed =
  | { readonly deed: 'send'; readonly texts: string; readonly below: number | null; readonly merge: boolean }
  | { readonly deed: 'delete'; readonly node: number; readonly mode: 'splice' | 'cascade' }
  | { readonly deed: 'overwrite' | 'edit'; readonly node: number; readonly text: string }
  | { readonly deed: 'move'; readonly node: number; readonly below: number }
  | { readonly deed: 'before'; readonly node: number; readonly other: number }
  | { readonly deed: 'split'; readonly node: number }
  | { readonly deed: 'select' | 'restore'; readonly node: number }
  | { readonly deed: 'undo' | 'redo' };

const node = fc.nat(12);
// Only few texts are used, so that histories share prefixes, are sent again, and have equal siblings.
const texts = fc.constantFrom('aaaaa', 'aaaaaa', 'aabaa', 'b');
const deed: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({
      deed: fc.constant('send' as const),
      texts,
      below: fc.oneof({ weight: 9, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: node }),
      merge: fc.oneof({ weight: 9, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ deed: fc.constant('delete' as const), node, mode: fc.constantFrom('splice', 'cascade') }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      deed: fc.constantFrom('overwrite' as const, 'overwrite' as const, 'edit' as const),
      node,
      text: fc.constantFrom('a', 'b'),
    }),
  },
  fc.record({ deed: fc.constant('move' as const), node, below: node }),
  fc.record({ deed: fc.constant('before' as const), node, other: node }),
  fc.record({ deed: fc.constant('split' as const), node }),
  fc.record({ deed: fc.constantFrom('select' as const, 'restore' as const, 'restore' as const), node }),
  fc.record({ deed: fc.constantFrom('undo' as const, 'redo' as const) }),
);

function commandOf(done: Deed, known: readonly NodeId[], parents: ReadonlyMap<NodeId, NodeId>): Command {
  const named = (at: number): NodeId => known[at % known.length] ?? rootId;
  switch (done.deed) {
    case 'send':
      return {
        type: 'append',
        treeId: id,
        parentId: done.below === null ? rootId : named(done.below),
        messages: [...done.texts].map((text) => ({ message: textMessage('user', `${text}${text}`) })),
        merge: done.merge,
      };
    case 'delete':
      return { type: 'delete', treeId: id, nodeIds: [named(done.node)], mode: done.mode };
    case 'overwrite':
      return { type: 'edit', treeId: id, nodeId: named(done.node), content: done.text.repeat(2), mode: 'in-place' };
    case 'edit':
      return { type: 'edit', treeId: id, nodeId: named(done.node), content: done.text.repeat(2) };
    case 'move':
      return { type: 'move', treeId: id, nodeId: named(done.node), parentId: named(done.below) };
    case 'before': {
      const before = named(done.other);
      return { type: 'move', treeId: id, nodeId: named(done.node), parentId: parents.get(before) ?? rootId, before };
    }
    case 'split':
      return { type: 'split', treeId: id, nodeId: named(done.node), position: 1 };
    case 'select':
    case 'restore':
      return { type: done.deed, treeId: id, nodeId: named(done.node) };
    default:
      return { type: done.deed, treeId: id };
  }
}

/** Returns a run context that generates the same ids for every store. */
function acting(turn: number): RunContext {
  let made = 0;
  return {
    actor: 'me',
    kit: messageKit,
    now: () => turn,
    newId: () => `00000000-0000-7000-8000-${(turn * 1000 + made++).toString(16).padStart(12, '0')}`,
  };
}

async function outcomeOf(store: Store, command: Command, turn: number): Promise<unknown> {
  try {
    const { result, commit, version } = await run(store, command, acting(turn));
    return { result, steps: commit?.steps, version };
  } catch (error) {
    if (isAppError(error)) return error.code;
    throw error;
  }
}

it('[L43] a history is matched against the current tree, whatever changed since the last match, here or in another process', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(deed, fc.nat(19)), { minLength: 10, maxLength: 25 }), async (acts) => {
      const folder = mkdtempSync(join(tmpdir(), 'coppice-ways-'));
      const path = join(folder, 'trees.db');
      const reference = await openStore('memory:');
      const stores = [await open(path, {}), await open(path, {})];
      try {
        const known: NodeId[] = [];
        const parents = new Map<NodeId, NodeId>();
        for (const store of [reference, ...stores.slice(0, 1)])
          await run(store, { type: 'create', treeId: id, rootId }, acting(0));
        for (const [at, [done, who]] of acts.entries()) {
          const command = commandOf(done, known, parents);
          const expected = await outcomeOf(reference, command, at + 1);
          // Usually the same process writes again; sometimes the other one does.
          const store = stores[who === 0 ? 1 : 0];
          if (store === undefined) throw new Error('There are two.');
          expect(await outcomeOf(store, command, at + 1)).toEqual(expected);
          const rows = await reference.read(id, () => ask('rows', {}));
          known.splice(0, known.length);
          for (const one of rows?.nodes ?? []) {
            if (one.parentId === null) continue;
            known.push(one.id);
            parents.set(one.id, one.parentId);
          }
        }
      } finally {
        for (const store of [reference, ...stores]) await store.close();
        rmSync(folder, { recursive: true, force: true });
      }
    }),
    { numRuns: 40 },
  );
});

/**
 * A change that adds a single message below the root or another message, moves or deletes one. Many messages become
 * siblings of the last one.
 */
const single: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      deed: fc.constant('send' as const),
      texts: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      below: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: node }),
      merge: fc.boolean(),
    }),
  },
  fc.record({ deed: fc.constant('delete' as const), node, mode: fc.constantFrom('splice', 'cascade') }),
  fc.record({ deed: fc.constant('move' as const), node, below: node }),
  fc.record({ deed: fc.constant('before' as const), node, other: node }),
  fc.record({ deed: fc.constant('select' as const), node }),
  fc.record({ deed: fc.constantFrom('undo' as const, 'redo' as const) }),
);

it('[L230] rows below a cached parent equal those of a store without a cache, visit marks included', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(single, fc.nat(3)), { minLength: 10, maxLength: 30 }), async (acts) => {
      const folder = mkdtempSync(join(tmpdir(), 'coppice-ways-'));
      const reference = await openStore('memory:');
      const [first, second] = [await open(join(folder, 'trees.db'), {}), await open(join(folder, 'trees.db'), {})];
      try {
        const parents = new Map<NodeId, NodeId>();
        for (const one of [reference, first]) await run(one, { type: 'create', treeId: id, rootId }, acting(0));
        let known: readonly NodeId[] = [];
        for (const [at, [done, who]] of acts.entries()) {
          // Sometimes another process writes in between, which clears the cache.
          const store = who === 0 ? second : first;
          const command = commandOf(done, known, parents);
          expect(await outcomeOf(store, command, at + 1)).toEqual(await outcomeOf(reference, command, at + 1));
          const rows = await reference.read(id, () => ask('rows', {}));
          const written = await store.read(id, () => ask('rows', {}));
          expect(written?.nodes).toEqual(rows?.nodes);
          expect(written?.row.activeNodeId).toBe(rows?.row.activeNodeId);
          known = (rows?.nodes ?? []).filter((one) => one.parentId !== null).map((one) => one.id);
          for (const one of rows?.nodes ?? []) if (one.parentId !== null) parents.set(one.id, one.parentId);
        }
      } finally {
        for (const one of [reference, first, second]) await one.close();
        rmSync(folder, { recursive: true, force: true });
      }
    }),
    { numRuns: 30 },
  );
});
