/** Where a tree lives, and what kind of store that is. */

import { normaliseMessage } from '@coppice/content';
import {
  ask,
  type ConversationFormat,
  type Message,
  type NewMessage,
  type NodeMeta,
  readTree,
  refuse,
  type Store,
  type TreeId,
  valueOf,
} from '@coppice/core';
import { isStale, versionConflict } from '@coppice/core/store';
import type { z } from '@hono/zod-openapi';
import type { RouteScope } from './routes/define.ts';
import { type TreeView, toTreeView } from './tree-view.ts';
import type { messageInput } from './wire/schemas.ts';

/** A tree's store, and whether it is the one of temporary trees. */
export interface ResolvedTree {
  readonly treeId: TreeId;
  readonly store: Store;
  readonly temporary: boolean;
}

/** Finds the store of a tree. What nobody knows is looked for in the main one, which says so. */
export async function resolveTree(scope: Pick<RouteScope, 'ownerServices'>, treeId: TreeId): Promise<ResolvedTree> {
  const store = await scope.ownerServices.storeOf(treeId);
  return { treeId, store, temporary: store === scope.ownerServices.temporary.store };
}

/** How a tree is stored. */
export async function formatOfTree(place: ResolvedTree): Promise<ConversationFormat> {
  if (place.temporary) return 'tree';
  return (await place.store.formatOf(place.treeId)) ?? 'tree';
}

/** A tree as it is told, with its number of messages where that is wanted. */
export async function viewOfTree(place: ResolvedTree, options: { readonly count?: boolean } = {}): Promise<TreeView> {
  const { row, messageCount } = await place.store.read(place.treeId, function* () {
    const found = yield* readTree(place.treeId);
    const nodes = options.count === true ? yield* ask('count', { of: found.rootId }) : null;
    return { row: found, messageCount: nodes === null ? null : Math.max(0, nodes - 1) };
  });
  const format = await formatOfTree(place);
  return toTreeView(row, {
    format,
    temporary: place.temporary,
    ...(messageCount === null ? {} : { messageCount }),
  });
}

/** Refuses a tree that is not there, as every reading of it would. */
export async function requireTree(place: ResolvedTree): Promise<void> {
  await place.store.read(place.treeId, () => readTree(place.treeId));
}

/**
 * Refuses what takes its time for a tree that has moved on already, where the caller says what it has seen. What happens
 * while it is made is no matter.
 */
export async function checkVersion(place: ResolvedTree, expected: number | undefined): Promise<void> {
  if (expected === undefined) return;
  const { store, treeId } = place;
  await store.read(treeId, function* () {
    const row = yield* readTree(treeId);
    if (isStale(row, expected))
      throw versionConflict(treeId, row.version, expected, yield* ask('log', { since: expected }));
  });
}

/** Messages on their way in, read at the door for messages: older forms are understood, the first bad one is named. */
export function readMessages(given: readonly z.output<typeof messageInput>[]): NewMessage[] {
  return given.map((item, index) => {
    const { id, meta, ...said } = typeof item === 'string' ? { role: 'user' as const, content: item } : item;
    const message = valueOf(normaliseMessage(said, { where: `messages[${index}]`, blank: 'keep' }));
    return { message, ...(id === undefined ? {} : { id }), ...(meta === undefined ? {} : { meta: noteOfNode(meta) }) };
  });
}

/** Notes that came from outside. Those that only the tree itself writes are refused, wherever they come in. */
function noteOfNode(meta: Readonly<Record<string, unknown>>): NodeMeta {
  for (const key of ['copiedFrom', 'pickedFrom', 'splitSource', 'continues'])
    if (Object.hasOwn(meta, key))
      return refuse('command/invalid', `The note ${key} is kept by the tree itself.`, { key });
  return meta;
}

/** What a message says, as one message with a role: for edits, which give content alone. */
export function contentOfNode(content: string | readonly unknown[], role: Message['role']): Message['content'] {
  return valueOf(normaliseMessage({ role, content }, { where: 'content' })).content;
}
