/** Finds and applies groups of variants that differ between the two sides of a synchronisation. */
import { ask, type NodeId, type Plan, type ReadProgram, type Step } from '@coppice/core';
import type { SyncPair } from './sync-changes.ts';

/** Nodes below one parent that move to one group: `into` is an existing group, null for a new one, or 0 for none. */
interface GroupPlan {
  readonly parentId: NodeId;
  readonly nodeIds: readonly NodeId[];
  readonly into: number | null;
}

/**
 * Finds the changes of groups that this side needs, so that variants that share a group on the other side share one
 * here. Group numbers may differ. `isLater` tells which nodes the other side grouped last.
 */
export function findGroupDifferences(pairs: readonly SyncPair[], isLater: (id: NodeId) => boolean): GroupPlan[] {
  const found: GroupPlan[] = [];
  for (const [parentId, siblings] of byKey(pairs, ({ to }) => to.parentId)) {
    if (parentId === null) continue;
    const loose = siblings.filter(({ from, to }) => from.groupId === 0 && to.groupId > 0 && isLater(to.id));
    if (loose.length > 0) found.push({ parentId, nodeIds: loose.map(({ to }) => to.id), into: 0 });
    const left = new Set(loose);
    const here = byKey(
      siblings.filter((pair) => pair.to.groupId > 0 && !left.has(pair)),
      ({ to }) => to.groupId,
    );
    const used = new Set<number>();
    const grouped = siblings.filter(({ from }) => from.groupId > 0);
    for (const [, members] of byKey(grouped, ({ from }) => from.groupId)) {
      const home = groupHome(members, here, used);
      const away = members.filter(({ to }) => to.groupId !== home && isLater(to.id));
      const stay = members.filter(({ to }) => home !== null && to.groupId === home);
      // A group of one node has no effect.
      if (away.length === 0 || away.length + stay.length < 2) continue;
      if (home !== null) used.add(home);
      found.push({ parentId, nodeIds: away.map(({ to }) => to.id), into: home });
    }
  }
  return found;
}

/** Returns the first group on this side whose members all belong to one group of the other side. */
function groupHome(
  members: readonly SyncPair[],
  here: ReadonlyMap<number, readonly SyncPair[]>,
  used: ReadonlySet<number>,
): number | null {
  const own = new Set(members);
  for (const { to } of members) {
    const others = here.get(to.groupId);
    if (others?.every((pair) => own.has(pair)) === true && !used.has(to.groupId)) return to.groupId;
  }
  return null;
}

function byKey<K>(pairs: readonly SyncPair[], keyOf: (pair: SyncPair) => K): Map<K, SyncPair[]> {
  const found = new Map<K, SyncPair[]>();
  for (const pair of pairs) {
    const list = found.get(keyOf(pair));
    if (list === undefined) found.set(keyOf(pair), [pair]);
    else list.push(pair);
  }
  return found;
}

/** Plans the steps that assign nodes to their groups. */
export function* regroupNodes(groupings: readonly GroupPlan[]): ReadProgram<Plan<null>> {
  const steps: Step[] = [];
  const highest = new Map<NodeId, number>();
  for (const { parentId, nodeIds, into } of groupings) {
    let groupId = into;
    if (groupId === null) {
      groupId = (highest.get(parentId) ?? (yield* ask('groupMax', { of: parentId }))) + 1;
      highest.set(parentId, groupId);
    }
    for (const nodeId of nodeIds) {
      const node = yield* ask('node', { id: nodeId });
      if (node !== null && node.parentId === parentId && node.groupId !== groupId)
        steps.push({ type: 'regroup', nodeId, after: groupId, before: node.groupId });
    }
  }
  return { steps, result: null };
}
