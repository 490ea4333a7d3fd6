/** Finds the store of a tree. */

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
  unwrapResult,
} from '@coppice/core';
import { isStale, makeVersionConflictError } from '@coppice/core/store';
import type { z } from '@hono/zod-openapi';
import type { RouteScope } from './routes/define.ts';
import { type TreeResponse, toTreeView } from './tree-view.ts';
import type { messageInputSchema } from './wire/schemas.ts';

/** The store of a tree, and whether the tree is temporary. */
export interface ResolvedTree {
  readonly treeId: TreeId;
  readonly store: Store;
  readonly temporary: boolean;
}

/** Finds the store of a tree. An unknown tree is looked up in the main store, which throws. */
export async function resolveTree(scope: Pick<RouteScope, 'ownerServices'>, treeId: TreeId): Promise<ResolvedTree> {
  const store = await scope.ownerServices.storeOf(treeId);
  return { treeId, store, temporary: store === scope.ownerServices.temporary.store };
}

/** How a tree is stored. */
export async function formatOfTree(place: ResolvedTree): Promise<ConversationFormat> {
  if (place.temporary) return 'tree';
  return (await place.store.formatOf(place.treeId)) ?? 'tree';
}

/** A tree for a response, optionally with its number of messages. */
export async function viewOfTree(
  place: ResolvedTree,
  options: { readonly count?: boolean } = {},
): Promise<TreeResponse> {
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

/** Throws if a tree does not exist. */
export async function assertTreeExists(place: ResolvedTree): Promise<void> {
  await place.store.read(place.treeId, () => readTree(place.treeId));
}

/** Checks the expected version before a long operation. Changes during the operation do not matter. */
export async function assertExpectedVersion(place: ResolvedTree, expected: number | undefined): Promise<void> {
  if (expected === undefined) return;
  const { store, treeId } = place;
  await store.read(treeId, function* () {
    const row = yield* readTree(treeId);
    if (isStale(row, expected))
      throw makeVersionConflictError(treeId, row.version, expected, yield* ask('log', { since: expected }));
  });
}

/** Parses new messages. Older formats are accepted; an error names the first invalid message. */
export function parseNewMessages(given: readonly z.output<typeof messageInputSchema>[]): NewMessage[] {
  return given.map((item, index) => {
    const { id, meta, ...said } = typeof item === 'string' ? { role: 'user' as const, content: item } : item;
    const message = unwrapResult(normaliseMessage(said, { where: `messages[${index}]`, blank: 'keep' }));
    return { message, ...(id === undefined ? {} : { id }), ...(meta === undefined ? {} : { meta: noteOfNode(meta) }) };
  });
}

/** Validates metadata of a request. Fields that only the tree itself writes are refused. */
function noteOfNode(meta: Readonly<Record<string, unknown>>): NodeMeta {
  for (const key of ['copiedFrom', 'pickedFrom', 'splitSource', 'continues'])
    if (Object.hasOwn(meta, key))
      return refuse('command/invalid', `The note ${key} is kept by the tree itself.`, { key });
  return meta;
}

/** Parses the content of a message, for edits. */
export function parseEditedContent(content: string | readonly unknown[], role: Message['role']): Message['content'] {
  return unwrapResult(normaliseMessage({ role, content }, { where: 'content' })).content;
}
