import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { apply, applyOrThrow } from './apply.ts';
import { checkTree } from './check.ts';
import { actId, nodeId } from './ids.ts';
import { textMessage } from './message.ts';
import { matchParentOfChildren, type Node, type NodeKind } from './node.ts';
import { positionBetween } from './position.ts';
import type { Commit } from './reads.ts';
import { rewindTree } from './rewind.ts';
import { inversePatch } from './rows.ts';
import { isStructural } from './steps/index.ts';
import type { Step, TreePosition } from './steps/types.ts';
import { propertyParameters, propertyTimeoutMs } from './testing/arbitraries.ts';
import { buildNewNode, emptyTestTree } from './testing/build-tree.ts';
import { expectSteps, undoableState } from './testing/expect-steps.ts';
import { testKit } from './testing/kit.ts';
import { allNodes, bookmarkOn, type Tree } from './tree.ts';

const runs = propertyParameters(300, process.env);
vi.setConfig({ testTimeout: propertyTimeoutMs(process.env) });

/** A step described by numbers, which are resolved in the tree after the previous steps. */
interface Rough {
  readonly type: Step['type'];
  readonly a: number;
  readonly b: number;
  readonly text: string;
}

const rough: fc.Arbitrary<Rough> = fc.record({
  type: fc.oneof(
    { weight: 6, arbitrary: fc.constant('insert' as const) },
    fc.constantFrom<Step['type']>('remove', 'restore', 'move', 'move', 'replace', 'annotate', 'regroup', 'select'),
    fc.constantFrom<Step['type']>('bookmark', 'attributes'),
  ),
  a: fc.nat(999),
  b: fc.nat(999),
  text: fc.constantFrom('a', 'b', 'c d', '', '__proto__', '🌲'),
});

// Commits with several steps, so that steps depend on earlier steps of the same commit.
const commits = fc.array(fc.array(rough, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 12, size: 'max' });

function placeOf({ parentId, position, groupId, matchParent }: Node): TreePosition {
  return { parentId: parentId ?? nodeId(''), position, groupId, matchParent: matchParent ?? nodeId('') };
}

function pick<T>(list: readonly T[], n: number): T | undefined {
  return list[n % Math.max(1, list.length)];
}

/** Returns a position that no child has or had, also earlier in this commit, because planners never reuse positions. */
function freePlace(nodes: readonly Node[], parentId: string | null, n: number, before: readonly Step[]): string {
  const taken = new Set<string>();
  for (const node of nodes) if (node.parentId === parentId) taken.add(node.position);
  for (const step of before) if (step.type === 'move' && step.from.parentId === parentId) taken.add(step.from.position);
  const places = [...taken].sort();
  const cut = n % (places.length + 1);
  return positionBetween(places[cut - 1] ?? null, places[cut] ?? null);
}

/** Resolves a rough step; null if the tree has no node for it. */
function stepOf(tree: Tree, { type, a, b, text }: Rough, before: readonly Step[] = []): Step | null {
  const nodes = allNodes(tree);
  const live = nodes.filter((node) => node.removedIn === null);
  const one = pick(
    live.filter((node) => node.parentId !== null),
    a,
  );
  const parent = pick(live, b);
  if (parent === undefined) return null;
  const position = freePlace(nodes, parent.id, a, before);
  if (type === 'insert') {
    const kind: NodeKind = a % 4 === 0 ? 'state' : 'message';
    return { type, node: buildNewNode(`n${tree.nextSeq}`, parent, { position, kind, groupId: b % 3 }) };
  }
  if (type === 'attributes') {
    const after = Object.fromEntries([[text, a % 3 === 0 ? null : b]]);
    return { type, after, before: inversePatch(tree.attributes, after) };
  }
  if (type === 'restore') {
    const gone = pick(
      nodes.filter((node) => node.removedIn !== null),
      a,
    );
    if (gone?.removedIn == null) return null;
    return b % 3 === 0
      ? { type, nodeId: gone.id, version: gone.removedIn, position: freePlace(nodes, gone.parentId, b, before) }
      : { type, nodeId: gone.id, version: gone.removedIn };
  }
  if (type === 'select') return { type, after: one?.id ?? null, before: tree.activeNodeId };
  if (one === undefined || one.message === null) return null;
  const { id, message, status, key, tokens, aliases } = one;
  switch (type) {
    case 'remove':
      return { type, nodeId: id };
    case 'move':
      return {
        type,
        nodeId: id,
        to: { parentId: parent.id, position, groupId: a % 3, matchParent: matchParentOfChildren(parent) },
        from: placeOf(one),
      };
    case 'replace': {
      const next = textMessage(message.role === 'user' ? 'user' : 'assistant', text);
      const after = { message: next, status, key: key === null ? null : testKit.key(next), text, tokens, aliases };
      return { type, nodeId: id, after, before: { ...after, message, key, text: one.text }, since: one.contentIn };
    }
    case 'annotate': {
      const after = Object.fromEntries([[text, a % 3 === 0 ? null : b]]);
      return { type, nodeId: id, after, before: inversePatch(one.meta, after) };
    }
    case 'regroup':
      return { type, nodeId: id, after: b % 4, before: one.groupId };
    case 'bookmark': {
      const after = a % 3 === 0 ? null : { nodeId: id, title: text, createdAt: b, updatedAt: b };
      return { type, nodeId: id, after, before: bookmarkOn(tree, id) ?? null };
    }
  }
}

/**
 * Builds the steps of a commit, each for the tree after the previous steps. Between two steps an invariant may be
 * broken.
 */
function commitOf(tree: Tree, list: readonly Rough[]): Step[] {
  const steps: Step[] = [];
  for (const one of list) {
    const now = patchedUp(tree, steps);
    const step = now === null ? null : stepOf(now, one, steps);
    if (step !== null && patchedUp(tree, [...steps, step]) !== null) steps.push(step);
  }
  return steps;
}

/** Returns the tree after the steps, with a valid active node; null if a step cannot be applied. */
function patchedUp(tree: Tree, steps: readonly Step[]): Tree | null {
  const closed = closing(tree, steps);
  return closed === null ? null : applyOrThrow(tree, closed).tree;
}

/** Returns the steps. Adds a final select of a live node if the active node would be removed. */
function closing(tree: Tree, steps: readonly Step[]): Step[] | null {
  if (apply(tree, steps).ok) return [...steps];
  for (const node of allNodes(tree).concat(insertedBy(steps))) {
    const last: Step = { type: 'select', after: node.id, before: null };
    if (node.parentId !== null && apply(tree, [...steps, last]).ok) return [...steps, last];
  }
  const none: Step = { type: 'select', after: null, before: null };
  return apply(tree, [...steps, none]).ok ? [...steps, none] : null;
}

function insertedBy(steps: readonly Step[]): Node[] {
  const after = steps.flatMap((step) => (step.type === 'insert' ? [step.node] : []));
  return after.map((node) => ({
    ...node,
    seq: 0,
    addedIn: 0,
    contentIn: 0,
    removedIn: null,
    lastChildId: null,
    role: 'user',
  }));
}

/** Sets the actual `before` of an added select step, to which its inverse returns. */
function honest(tree: Tree, steps: readonly Step[]): Step[] {
  let active = tree.activeNodeId;
  return steps.map((step) => {
    if (step.type !== 'select') return step;
    const before = active;
    active = step.after;
    return { ...step, before };
  });
}

test('[S14, S1, S2, S3, S4] random commits keep all invariants, can be inverted, and their rows replay to the same tree', () => {
  fc.assert(
    fc.property(commits, (list) => {
      let tree = emptyTestTree();
      for (const one of list) {
        const closed = closing(tree, commitOf(tree, one));
        if (closed === null || closed.length === 0) continue;
        tree = expectSteps(tree, honest(tree, closed)).tree;
        expect(checkTree(tree).filter((finding) => finding.severity === 'error')).toEqual([]);
      }
    }),
    runs,
  );
});

/** Returns the versions stored in the rows. */
function marks(tree: Tree): unknown {
  return allNodes(tree).map(({ id, addedIn, contentIn, removedIn }) => ({ id, addedIn, contentIn, removedIn }));
}

test('[T47] inverting random commits one by one from the log gives every earlier tree', () => {
  fc.assert(
    fc.property(commits, (list) => {
      const trees = [emptyTestTree()];
      const log: Commit[] = [];
      for (const one of list) {
        const tree = trees[trees.length - 1] ?? emptyTestTree();
        const closed = closing(tree, commitOf(tree, one));
        if (closed === null || closed.length === 0) continue;
        const steps = honest(tree, closed).filter((step) => step.type !== 'restore' || step.position === undefined);
        const next = apply(tree, steps);
        if (!next.ok || steps.length === 0) continue;
        trees.push(next.value.tree);
        const { id, version, nextSeq: seq } = tree;
        const structural = isStructural(steps);
        const by = { actId: actId('act'), actor: 'me', at: 0, kind: 'do' } as const;
        log.push({ treeId: id, version: version + 1, seq, structural, steps, ...by });
      }
      const now = trees[trees.length - 1] ?? emptyTestTree();
      for (const then of trees) {
        const back = rewindTree(now, log, then.version);
        expect(undoableState(back)).toEqual(undoableState(then));
        expect(back).toMatchObject({ version: then.version, size: then.size, nextSeq: then.nextSeq });
        expect(checkTree(back).filter((finding) => finding.severity === 'error')).toEqual([]);
        expect(marks(back)).toEqual(marks(then));
      }
    }),
    runs,
  );
});

test('[S15] random lists of steps are applied as a whole or not at all', () => {
  fc.assert(
    fc.property(commits, commits, (list, rest) => {
      let tree = emptyTestTree();
      for (const one of list) {
        const closed = closing(tree, commitOf(tree, one));
        if (closed !== null && closed.length > 0) tree = applyOrThrow(tree, honest(tree, closed)).tree;
      }
      const was = JSON.stringify(undoableState(tree));
      for (const one of rest) {
        // The steps are built for the tree before the commit, so some of them cannot be applied.
        const steps = one.map((each) => stepOf(tree, each)).filter((step) => step !== null);
        const result = apply(tree, steps);
        if (result.ok)
          expect(checkTree(result.value.tree).filter((finding) => finding.severity === 'error')).toEqual([]);
        else expect(result.refusal.message).toMatch(/\.$/);
        expect(JSON.stringify(undoableState(tree))).toBe(was);
      }
    }),
    runs,
  );
});
