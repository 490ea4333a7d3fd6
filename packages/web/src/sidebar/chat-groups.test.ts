import type { TreeViewData } from '@coppice/client';
import { nodeId, treeId } from '@coppice/core';
import { expect, test } from 'vitest';
import { buildChatListRows } from './chat-groups.ts';

function chat(name: string, updatedAt: number, pinned = false): TreeViewData {
  return {
    id: treeId(name),
    rootId: nodeId('r'),
    version: 1,
    structureVersion: 1,
    activeNodeId: null,
    createdAt: updatedAt,
    updatedAt,
    title: name,
    autoTitle: null,
    project: null,
    folder: null,
    pinned,
    tags: [],
    metadata: {},
    copiedFrom: null,
    deletedAt: null,
    forest: false,
    temporary: false,
    conversation_format: 'tree',
  };
}

test('[B121] chats are grouped by the day of their last change, pinned ones first', () => {
  const at = (text: string) => new Date(text).getTime();
  const now = at('2026-11-18T09:00:00');
  const rows = buildChatListRows(
    [
      chat('now', at('2026-11-18T08:00:00')),
      chat('midnight', at('2026-11-18T00:00:00')),
      chat('late', at('2026-11-17T23:59:00')),
      chat('week', at('2026-11-13T12:00:00')),
      chat('month', at('2026-11-01T12:00:00')),
      chat('pinned', at('2026-03-01T12:00:00'), true),
      chat('old', at('2025-11-01T12:00:00')),
    ],
    now,
  );
  expect(rows.map((row) => (row.kind === 'heading' ? `# ${row.heading.kind}` : row.tree.title))).toEqual([
    '# pinned',
    'pinned',
    '# today',
    'now',
    'midnight',
    '# yesterday',
    'late',
    '# week',
    'week',
    '# month',
    'month',
    '# month',
    'old',
  ]);
  expect(new Set(rows.map((row) => row.key)).size).toBe(rows.length);
});
