/** Finds the store of a tree, and validates trees and messages of requests. */

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

/** Finds the store of a tree. For an unknown tree it returns the main store, whose reads then throw. */
export async function resolveTree(scope: Pick<RouteScope, 'ownerServices'>, treeId: TreeId): Promise<ResolvedTree> {
  const store = await scope.ownerServices.storeOf(treeId);
  return { treeId, store, temporary: store === scope.ownerServices.temporary.store };
}

/** Returns whether a tree is stored as a tree or as a linear conversation. */
export async function readTreeFormat(resolved: ResolvedTree): Promise<ConversationFormat> {
  if (resolved.temporary) return 'tree';
  return (await resolved.store.formatOf(resolved.treeId)) ?? 'tree';
}

/** Reads a tree for a response, optionally with its number of messages. */
export async function readTreeView(
  resolved: ResolvedTree,
  options: { readonly count?: boolean } = {},
): Promise<TreeResponse> {
  const { row, messageCount } = await resolved.store.read(resolved.treeId, function* () {
    const found = yield* readTree(resolved.treeId);
    const nodes = options.count === true ? yield* ask('count', { of: found.rootId }) : null;
    return { row: found, messageCount: nodes === null ? null : Math.max(0, nodes - 1) };
  });
  const format = await readTreeFormat(resolved);
  return toTreeView(row, {
    format,
    temporary: resolved.temporary,
    ...(messageCount === null ? {} : { messageCount }),
  });
}

export async function assertTreeExists(resolved: ResolvedTree): Promise<void> {
  await resolved.store.read(resolved.treeId, () => readTree(resolved.treeId));
}

/**
 * Throws a version conflict if the tree has changed since the expected version. Called before a long operation; changes
 * during the operation are accepted.
 */
export async function assertExpectedVersion(resolved: ResolvedTree, expected: number | undefined): Promise<void> {
  if (expected === undefined) return;
  const { store, treeId } = resolved;
  await store.read(treeId, function* () {
    const row = yield* readTree(treeId);
    if (isStale(row, expected))
      throw makeVersionConflictError(treeId, row.version, expected, yield* ask('log', { since: expected }));
  });
}

/** Parses the messages of a request, also in older formats. Throws an error that names the first invalid message. */
export function parseNewMessages(given: readonly z.output<typeof messageInputSchema>[]): NewMessage[] {
  return given.map((item, index) => {
    const { id, meta, ...fields } = typeof item === 'string' ? { role: 'user' as const, content: item } : item;
    const message = unwrapResult(normaliseMessage(fields, { where: `messages[${index}]`, blank: 'keep' }));
    return {
      message,
      ...(id === undefined ? {} : { id }),
      ...(meta === undefined ? {} : { meta: checkNodeMeta(meta) }),
    };
  });
}

/** Throws if metadata contains a field that only the tree itself may write. Otherwise returns the metadata. */
function checkNodeMeta(meta: Readonly<Record<string, unknown>>): NodeMeta {
  for (const key of ['copiedFrom', 'pickedFrom', 'splitSource', 'continues'])
    if (Object.hasOwn(meta, key))
      return refuse('command/invalid', `The metadata field ${key} is written by the tree itself. Leave it out.`, {
        key,
      });
  return meta;
}

/** Parses the new content of an edited message. */
export function parseEditedContent(content: string | readonly unknown[], role: Message['role']): Message['content'] {
  return unwrapResult(normaliseMessage({ role, content }, { where: 'content' })).content;
}
