/** Trees and changes as API responses. */
import {
  ask,
  type Bookmark,
  type Command,
  type CommandOutcome,
  type Commit,
  type ConversationFormat,
  type Node,
  type NodeId,
  type ReadProgram,
  type ResultOf,
  type RunContext,
  run,
  type Store,
  type TreeId,
  type TreeRow,
} from '@coppice/core';
import { rowChanges } from '@coppice/core/tree';
import type { z } from '@hono/zod-openapi';
import type { RouteCall } from './routes/define.ts';
import type { treeViewSchema } from './wire/schemas.ts';

/** A tree as a response contains it. */
export type TreeResponse = z.input<typeof treeViewSchema>;

/** The fields of a tree that are not in its row. */
export interface TreeStorageInfo {
  readonly format: ConversationFormat;
  readonly temporary: boolean;
  readonly messageCount?: number;
}

/** Converts a row to a response, without its owner. */
export function toTreeView(row: TreeRow, facts: TreeStorageInfo): TreeResponse {
  const { attributes } = row;
  return {
    id: row.id,
    rootId: row.rootId,
    version: row.version,
    structureVersion: row.structureVersion,
    activeNodeId: row.activeNodeId,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    title: attributes.title ?? null,
    autoTitle: attributes.autoTitle ?? null,
    ...(attributes.systemPrompt === undefined ? {} : { systemPrompt: attributes.systemPrompt }),
    project: attributes.project ?? null,
    folder: attributes.folder ?? null,
    pinned: attributes.pinned === true,
    tags: attributes.tags ?? [],
    metadata: attributes.metadata ?? {},
    copiedFrom: attributes.copiedFrom ?? null,
    deletedAt: attributes.trashedAt ?? null,
    forest: attributes.forestKey !== undefined,
    temporary: facts.temporary,
    conversation_format: facts.format,
    ...(facts.messageCount === undefined ? {} : { messageCount: facts.messageCount }),
  };
}

type WriteCall = Pick<RouteCall<unknown, unknown, unknown>, 'caller' | 'services' | 'expectedVersion' | 'onConflict'>;

/** Returns the context of a core command, with the caller as actor. */
export function createRunContext(call: WriteCall, actId?: string): RunContext {
  const { caller, services, expectedVersion, onConflict } = call;
  return {
    actor: caller.actor,
    now: services.now,
    newId: services.newId,
    kit: services.kit,
    ...(actId === undefined ? {} : { actId }),
    ...(expectedVersion === undefined ? {} : { expectedVersion }),
    ...(onConflict === undefined ? {} : { onConflict }),
  };
}

/** The response of a write: the new version, the result of the command, and the nodes that it changed. */
export interface WriteAnswer<R> {
  readonly treeId: TreeId;
  readonly version: number;
  readonly actId: string;
  readonly activeNodeId: NodeId | null;
  readonly result: R;
  readonly nodes: readonly Node[];
  /** How the tree is stored after the write, if the store says so. */
  readonly conversation_format?: ConversationFormat;
}

/** Runs a core command and returns the response of the write. */
export async function runWrite<C extends Command>(
  call: WriteCall,
  store: Store,
  command: C,
): Promise<WriteAnswer<ResultOf<C['type']>>> {
  return toWriteAnswer(store, await run(store, command, createRunContext(call)));
}

/** Returns the response of a command, with the nodes that it added or changed. */
export async function toWriteAnswer<R>(store: Store, outcome: CommandOutcome<R>): Promise<WriteAnswer<R>> {
  const { treeId, version, actId, result, commit, format } = outcome;
  const fromCommit = commit === null ? null : answerFromSteps(commit);
  const { activeNodeId, nodes } =
    fromCommit ?? (await store.read(treeId, () => readChanged(commit === null ? [] : listChangedIds(commit))));
  const stored = format === undefined ? {} : { conversation_format: format };
  return { treeId, version, actId, activeNodeId, result, nodes, ...stored };
}

/**
 * Returns the active node and the nodes of a commit that inserted nodes and set the active node. Returns null for any
 * other commit; the store has to be read then.
 */
function answerFromSteps(commit: Commit): Pick<WriteAnswer<unknown>, 'activeNodeId' | 'nodes'> | null {
  const nodes = insertedNodesOf(commit);
  const active = rowChanges(commit.steps, commit).findLast((change) => change.op === 'tree')?.activeNodeId;
  return nodes === null || active === undefined ? null : { activeNodeId: active, nodes };
}

/**
 * Returns the nodes of a commit that only inserted nodes and set the active node. Most writes do that, and need no
 * read. Returns null if the commit made other changes.
 */
export function insertedNodesOf(commit: Commit): readonly Node[] | null {
  const nodes: Node[] = [];
  for (const change of rowChanges(commit.steps, commit)) {
    if (change.op === 'added') nodes.push(change.node);
    else if (change.op !== 'tree' || change.attributes !== undefined) return null;
  }
  return nodes;
}

/** Returns the ids of the nodes that a commit added, changed or restored, each once. */
export function listChangedIds(commit: Commit): readonly NodeId[] {
  const ids = new Set<NodeId>();
  for (const change of rowChanges(commit.steps, commit)) {
    if (change.op === 'added') ids.add(change.node.id);
    else if (change.op === 'updated') for (const id of change.nodeIds) ids.add(id);
    else if (change.op === 'marked' && change.to === null) ids.add(change.nodeId);
  }
  return [...ids];
}

function* readChanged(ids: readonly NodeId[]): ReadProgram<Pick<WriteAnswer<unknown>, 'activeNodeId' | 'nodes'>> {
  const row = yield* ask('tree', {});
  return { activeNodeId: row?.activeNodeId ?? null, nodes: yield* readNodes(ids) };
}

/** Reads the nodes with these ids, in the same order. Deleted nodes are left out. */
export function* readNodes(ids: readonly NodeId[]): ReadProgram<readonly Node[]> {
  return ids.length === 0 ? [] : yield* ask('nodes', { ids });
}

/** Reads the bookmarks of nodes, by node. */
export function* readBookmarksByNode(ids: readonly NodeId[]): ReadProgram<Readonly<Record<string, Bookmark>>> {
  const found = ids.length === 0 ? [] : yield* ask('bookmarks', { on: ids });
  return Object.fromEntries(found.map((bookmark) => [bookmark.nodeId, bookmark]));
}
