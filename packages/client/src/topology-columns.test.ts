import { nodeId, type TopologyColumns, type TopologyNode } from '@coppice/core';
import { decodeTopologyColumns } from '@coppice/core/tree';
import { expect, test } from 'vitest';

const root = nodeId('root');

function made(id: string, parentId: string, childCount: number, set: Partial<TopologyNode> = {}): TopologyNode {
  return {
    id: nodeId(id),
    parentId: nodeId(parentId),
    role: 'user',
    kind: 'message',
    groupId: 0,
    seq: 1,
    position: 'a0',
    status: 'success',
    childCount,
    hasChildren: childCount > 0,
    preview: id,
    tokens: 3,
    createdAt: 1000,
    ...set,
  };
}

test('[CL2] a topology sent as columns is read as nodes', () => {
  const columns: TopologyColumns = {
    id: ['a', 'b', 'c'].map(nodeId),
    parent: [-1, 0, 0],
    role: { of: ['user', 'assistant'], at: [0, 1, 1] },
    kind: { of: ['message'], at: [0, 0, 0] },
    status: { of: ['success', 'error'], at: [0, 1, 0] },
    groupId: [0, 2, 2],
    seq: [1, 2, 3],
    position: ['a0', 'a0', 'a1'],
    preview: ['a', 'b', 'c'],
    tokens: [3, 3, 3],
    since: 1000,
    createdAt: [0, 5, 9],
  };
  expect(decodeTopologyColumns(columns, root)).toEqual([
    made('a', 'root', 2),
    made('b', 'a', 0, { role: 'assistant', status: 'error', groupId: 2, seq: 2, createdAt: 1005 }),
    made('c', 'a', 0, { role: 'assistant', groupId: 2, seq: 3, position: 'a1', createdAt: 1009 }),
  ]);
  expect(decodeTopologyColumns({ ...columns, id: [], parent: [] }, root)).toEqual([]);
});
