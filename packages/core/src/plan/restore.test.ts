import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { answer } from '../answer.ts';
import { checkTree } from '../check.ts';
import { type NodeId, nodeId } from '../ids.ts';
import { type Answer, drive, type Read } from '../reads.ts';
import { run } from '../run.ts';
import { arbitraryCommands, propertyRuns, propertyTimeout } from '../testing/arbitraries.ts';
import {
  assistant,
  Bed,
  carry,
  essence,
  ReferenceStore,
  refusalOf,
  testKit,
  ticking,
  user,
  uuid,
} from '../testing/index.ts';
import { play } from '../testing/play.ts';
import { childIds, findNode, type Tree } from '../tree.ts';
import { restoreVersion } from './restore.ts';

vi.setConfig({ testTimeout: propertyTimeout(process.env) });

const nowhere = nodeId(uuid(77));

function restoring(bed: Bed, id: NodeId) {
  return { type: 'restore', treeId: bed.treeId, nodeId: id } as const;
}

function cascading(bed: Bed, ...nodeIds: NodeId[]) {
  return { type: 'delete', treeId: bed.treeId, nodeIds, mode: 'cascade' } as const;
}

describe('out of the trash', () => {
  test('[U25] a node comes back with what went with it, to its place, and what went before stays', async () => {
    const bed = await Bed.make();
    const [a = nowhere, b = nowhere, c = nowhere] = await bed.grow(['a', 'b', 'c']);
    const side = await bed.variant(assistant('side'), b);
    await bed.variant(user('last'), bed.rootId);
    await bed.run(cascading(bed, side));
    await bed.run(cascading(bed, a));
    const { result } = await carry(bed, restoring(bed, a));
    expect(result.nodeId).toBe(a);
    expect(bed.drawing()).toEqual(['a', '  b', '    c', 'last *']);
    expect(bed.node(c).parentId).toBe(b);
    await carry(bed, restoring(bed, side));
    expect(bed.texts(b)).toEqual(['c', 'side']);
  });

  test('[U26] whichever node of it is named, the whole of one removal comes back', async () => {
    const bed = await Bed.make();
    const [a = nowhere, , c = nowhere] = await bed.grow(['a', 'b', 'c']);
    await bed.run(cascading(bed, a));
    expect((await carry(bed, restoring(bed, c))).result.nodeId).toBe(a);
    expect(bed.tree.size).toBe(3);
  });

  test('[U26] what hung on a node in the trash is refused until that is back', async () => {
    const bed = await Bed.make();
    const [a = nowhere, b = nowhere] = await bed.grow(['a', 'b']);
    await bed.run(cascading(bed, b));
    await bed.run(cascading(bed, a));
    expect(await refusalOf(bed, restoring(bed, b))).toBe('tree/unknown-node');
    await bed.run(restoring(bed, a));
    await bed.run(restoring(bed, b));
    expect(bed.drawing()).toEqual(['a *', '  b']);
  });

  test('[U26] what lives is left as it is; the root and what never was are refused', async () => {
    const bed = await Bed.make();
    const [a = nowhere] = await bed.grow(['a']);
    expect((await carry(bed, restoring(bed, a))).commit).toBeNull();
    expect(await refusalOf(bed, restoring(bed, nowhere))).toBe('tree/unknown-node');
    expect(await refusalOf(bed, restoring(bed, bed.rootId))).toBe('tree/unknown-node');
  });

  test('[U27] it stands right behind who took its place, and is active in an empty tree', async () => {
    const bed = await Bed.make();
    const [a, b, c] = [
      await bed.variant(user('a'), bed.rootId),
      await bed.variant(user('b'), bed.rootId),
      await bed.variant(user('c'), bed.rootId),
    ];
    await bed.run({ type: 'move', treeId: bed.treeId, nodeId: c, parentId: a }, { actor: 'you' });
    const d = await bed.variant(user('d'), bed.rootId);
    await bed.run(cascading(bed, d));
    await bed.run({ type: 'undo', treeId: bed.treeId }, { actor: 'you' });
    await bed.run(restoring(bed, d));
    expect(childIds(bed.tree, bed.rootId)).toEqual([a, b, c, d]);
    await bed.run({ type: 'clear', treeId: bed.treeId });
    await carry(bed, restoring(bed, b));
    expect(bed.active).toBe(b);
  });

  test('[U27] it is an act like any other', async () => {
    const bed = await Bed.make();
    const [a = nowhere] = await bed.grow(['a']);
    await bed.run(cascading(bed, a));
    await bed.run(restoring(bed, a));
    await bed.run({ type: 'undo', treeId: bed.treeId });
    expect(bed.tree.size).toBe(0);
    await bed.run({ type: 'undo', treeId: bed.treeId });
    expect(bed.texts()).toEqual(['a']);
  });
});

describe('an earlier version', () => {
  const back = (bed: Bed, version: number) => ({ type: 'restore-version', treeId: bed.treeId, version }) as const;

  test('[U28] comes back whole: texts, places, groups, notes, bookmarks, attributes and pointer', async () => {
    const bed = await Bed.make();
    const [a = nowhere, b = nowhere] = await bed.grow(['a', 'b']);
    await bed.run({ type: 'bookmark', treeId: bed.treeId, nodeId: b, title: 'here' });
    await bed.run({ type: 'tag', treeId: bed.treeId, nodeId: a, tags: ['x'] });
    await bed.run({ type: 'attributes', treeId: bed.treeId, set: { title: 'then' } });
    const { version } = bed.tree;
    const then = essence(bed.tree);
    await bed.run({ type: 'edit', treeId: bed.treeId, nodeId: a, content: 'other' });
    await bed.run({ type: 'edit', treeId: bed.treeId, nodeId: b, content: 'rewritten', mode: 'in-place' });
    await bed.run({ type: 'move', treeId: bed.treeId, nodeId: b, parentId: bed.rootId });
    await bed.run({ type: 'bookmark', treeId: bed.treeId, nodeId: b, title: 'there' });
    await bed.run({ type: 'tag', treeId: bed.treeId, nodeId: a, tags: [] });
    await bed.run({ type: 'attributes', treeId: bed.treeId, set: { title: null, folder: 'now' } });
    await bed.run({ type: 'clear', treeId: bed.treeId });
    const now = essence(bed.tree);
    await carry(bed, back(bed, version));
    expect(essence(bed.tree)).toEqual(then);
    await bed.run({ type: 'undo', treeId: bed.treeId });
    expect(essence(bed.tree)).toEqual(now);
  });

  test('[U1, U2, U28] is taken back, and every removal before it, and all is done again, state by state', async () => {
    const bed = await Bed.make();
    const [a = nowhere, b = nowhere, c = nowhere] = await bed.grow(['a', 'b', 'c']);
    const { version } = bed.tree;
    const states = [essence(bed.tree)];
    for (const id of [c, b, a]) {
      await bed.run({ type: 'delete', treeId: bed.treeId, nodeIds: [id], mode: 'cascade' });
      states.push(essence(bed.tree));
    }
    await bed.run({ type: 'restore-version', treeId: bed.treeId, version });
    const all = [...states, essence(bed.tree)];
    for (const state of [...states].reverse()) {
      await bed.run({ type: 'undo', treeId: bed.treeId });
      expect(essence(bed.tree)).toEqual(state);
    }
    for (const state of all.slice(1)) {
      await bed.run({ type: 'redo', treeId: bed.treeId });
      expect(essence(bed.tree)).toEqual(state);
    }
  });

  test('[U28] gives every node its exact place, whoever stands there now', async () => {
    const bed = await Bed.make();
    const ids: NodeId[] = [];
    for (const text of ['a', 'b', 'c']) ids.push(await bed.variant(user(text), bed.rootId));
    const [a = nowhere, b = nowhere, c = nowhere] = ids;
    const { version } = bed.tree;
    const then = essence(bed.tree);
    await bed.run({ type: 'move', treeId: bed.treeId, nodeId: c, parentId: a });
    await bed.variant(user('in the place of c'), bed.rootId);
    await bed.run({ type: 'move', treeId: bed.treeId, nodeId: b, parentId: bed.rootId, before: a });
    await carry(bed, back(bed, version));
    expect(essence(bed.tree)).toEqual(then);
  });

  test('[U28] comes back as it was after whatever happened', async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryCommands({ maxLength: 30 }), fc.nat(), async (commands, pick) => {
        const store = new ReferenceStore();
        const past: Tree[] = [];
        for await (const { treeId } of play(store, commands)) {
          const tree = store.trees.get(treeId);
          if (tree !== undefined && past.every((one) => one.id !== tree.id || one.version !== tree.version))
            past.push(tree);
        }
        const then = past[pick % Math.max(1, past.length)];
        if (then === undefined) return;
        const context = { actor: 'ann', kit: testKit, ...ticking(900_000) };
        const present = store.trees.get(then.id);
        const open = [...(present === undefined ? [] : [present]), then].some((tree) => hasPending(tree));
        // A tree in the trash takes no restore, and restoring does not take a tree there.
        const trashed = [present, then].some((tree) => tree?.attributes.trashedAt !== undefined);
        if (open || trashed) return;
        await run(store, { type: 'restore-version', treeId: then.id, version: then.version }, context);
        const now = store.trees.get(then.id);
        expect(now && essence(now)).toEqual(essence(then));
        expect(now && checkTree(now).filter((finding) => finding.severity === 'error')).toEqual([]);
      }),
      propertyRuns(150, process.env),
    );
  });

  function hasPending(tree: Tree): boolean {
    return JSON.stringify(essence(tree)).includes('"status":"pending"');
  }

  test('[U29] that never was is refused', async () => {
    const bed = await Bed.make();
    await bed.grow(['a']);
    for (const version of [0, -1, 1.5, Number.NaN, bed.tree.version + 1])
      expect(await refusalOf(bed, back(bed, version))).toBe('tree/unknown-version');
  });

  test('[U29] is refused while a reply is being written that would go', async () => {
    const bed = await Bed.make();
    const [q = nowhere] = await bed.grow(['q']);
    const { version } = bed.tree;
    const { result } = await bed.run({ type: 'reply', treeId: bed.treeId, parentId: q, replies: [{}] });
    expect(await refusalOf(bed, back(bed, version))).toBe('tree/pending');
    const at = bed.tree.version;
    await bed.run({ type: 'tag', treeId: bed.treeId, nodeId: q, tags: ['x'] });
    await carry(bed, back(bed, at));
    expect(bed.node(result.added[0] ?? nowhere).status).toBe('pending');
  });

  test('[U29] leaves a reply that was being written then as it ended', async () => {
    const bed = await Bed.make();
    const [q = nowhere] = await bed.grow(['q']);
    const { result } = await bed.run({ type: 'reply', treeId: bed.treeId, parentId: q, replies: [{}] });
    const [reply = nowhere] = result.added;
    const { version } = bed.tree;
    await bed.run({ type: 'finish', treeId: bed.treeId, nodeId: reply, status: 'success', message: assistant('yes') });
    await bed.run(cascading(bed, reply));
    await carry(bed, back(bed, version));
    expect(bed.node(reply)).toMatchObject({ status: 'success', text: 'yes' });
  });

  test('[U29] is refused where the way back leads through what was purged', async () => {
    const bed = await Bed.make();
    const [a = nowhere, b = nowhere] = await bed.grow(['a', 'b']);
    await bed.run(cascading(bed, b));
    const { tree } = bed;
    const log = bed.reference?.commits.get(bed.treeId) ?? [];
    const around = {
      tree: () => tree,
      taken: () => [],
      home: () => null,
      forest: () => null,
      undoable: () => null,
      redoable: () => null,
      log: () => log,
    };
    const purged = (read: Read): Answer => {
      if (read.ask !== 'rows') return answer(tree, read, around);
      return { row: tree, nodes: [bed.node(bed.rootId), bed.node(a)], bookmarks: [] };
    };
    const context = { treeId: bed.treeId, now: 1, newId: () => uuid(5), kit: testKit, actor: 'me', stale: false };
    expect(() => drive(restoreVersion(back(bed, 2), context), purged)).toThrow(
      expect.objectContaining({ code: 'undo/purged' }),
    );
  });

  test('[U30] that is the present one changes nothing', async () => {
    const bed = await Bed.make();
    const [a = nowhere] = await bed.grow(['a']);
    expect((await carry(bed, back(bed, bed.tree.version))).commit).toBeNull();
    await carry(bed, back(bed, 1));
    expect(findNode(bed.tree, a)).toBeUndefined();
    expect(bed.active).toBeNull();
  });
});
