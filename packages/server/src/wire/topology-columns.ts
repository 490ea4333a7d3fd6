/**
 * The topology of a whole tree in columns: each field once by name, then one value per node, in creation order. For
 * 30,000 messages this is two fifths (3.9 MB) of the size of a list of nodes, and faster to parse.
 */
import type { NodeId, TopologyNode } from '@coppice/core';

/** A column with few distinct values. */
interface PickedColumn<T extends string> {
  readonly of: readonly T[];
  /** The index in the list, for each node. */
  readonly at: readonly number[];
}

/** The columns. Each has one value per node. */
export interface TopologyColumns {
  readonly id: readonly NodeId[];
  /** The index of the parent in `id`; -1 is the root. */
  readonly parent: readonly number[];
  readonly role: PickedColumn<TopologyNode['role']>;
  readonly kind: PickedColumn<TopologyNode['kind']>;
  readonly status: PickedColumn<TopologyNode['status']>;
  readonly groupId: readonly number[];
  readonly seq: readonly number[];
  readonly position: readonly string[];
  readonly preview: readonly string[];
  readonly tokens: readonly number[];
  /** The time at which the first node was created. The other times are milliseconds after it. */
  readonly since: number;
  readonly createdAt: readonly number[];
}

function pickColumn<T extends string>(values: readonly T[]): PickedColumn<T> {
  const places = new Map<T, number>();
  const at = values.map((value) => {
    const known = places.get(value);
    if (known !== undefined) return known;
    places.set(value, places.size);
    return places.size - 1;
  });
  return { of: [...places.keys()], at };
}

/** Converts the nodes of a whole tree to columns. */
export function toTopologyColumns(nodes: readonly TopologyNode[]): TopologyColumns {
  const places = new Map(nodes.map((node, index) => [node.id, index]));
  const since = nodes[0]?.createdAt ?? 0;
  return {
    id: nodes.map((node) => node.id),
    parent: nodes.map((node) => places.get(node.parentId) ?? -1),
    role: pickColumn(nodes.map((node) => node.role)),
    kind: pickColumn(nodes.map((node) => node.kind)),
    status: pickColumn(nodes.map((node) => node.status)),
    groupId: nodes.map((node) => node.groupId),
    seq: nodes.map((node) => node.seq),
    position: nodes.map((node) => node.position),
    preview: nodes.map((node) => node.preview),
    tokens: nodes.map((node) => node.tokens),
    since,
    createdAt: nodes.map((node) => node.createdAt - since),
  };
}
