/** Reads the shape of a tree that came in columns. */
import type { NodeId, TopologyNode } from '@coppice/core';
import type { TopologyColumns } from '@coppice/server/client';

/** Reads columns back as nodes. A column that is shorter than the ids ends the nodes there. */
export function fromTopologyColumns(columns: TopologyColumns, rootId: NodeId): readonly TopologyNode[] {
  const counts = new Uint32Array(columns.id.length);
  for (const parent of columns.parent)
    if (parent >= 0 && parent < counts.length) counts[parent] = (counts[parent] ?? 0) + 1;
  const nodes: TopologyNode[] = [];
  for (const [at, id] of columns.id.entries()) {
    const role = columns.role.of[columns.role.at[at] ?? -1];
    const kind = columns.kind.of[columns.kind.at[at] ?? -1];
    const status = columns.status.of[columns.status.at[at] ?? -1];
    if (role === undefined || kind === undefined || status === undefined) break;
    const childCount = counts[at] ?? 0;
    nodes.push({
      id,
      parentId: columns.id[columns.parent[at] ?? -1] ?? rootId,
      role,
      kind,
      groupId: columns.groupId[at] ?? 0,
      seq: columns.seq[at] ?? 0,
      position: columns.position[at] ?? '',
      status,
      childCount,
      hasChildren: childCount > 0,
      preview: columns.preview[at] ?? '',
      tokens: columns.tokens[at] ?? 0,
      createdAt: columns.since + (columns.createdAt[at] ?? 0),
    });
  }
  return nodes;
}
