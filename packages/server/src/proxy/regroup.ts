/**
 * Regroups the recordings of a project: from one tree for each system prompt to one for each session. Every session
 * becomes a new tree, and the former trees are moved to the trash, so that regrouping can be undone until they are
 * purged.
 */
import { deriveId, messageKit } from '@coppice/content';
import {
  ask,
  type ImportNode,
  type JsonObject,
  type Message,
  type Node,
  type NodeId,
  nodeId,
  type RunContext,
  run,
  type Store,
  type TreeId,
  type TreeRow,
  treeId,
} from '@coppice/core';
import { recordedTag } from '@coppice/engine';
import { buildHistoryExternalIds, historyKeysOf } from './find-histories.ts';
import type { RecordingServices } from './record.ts';
import { titleOfCall } from './title-of-call.ts';

/** A session in trees that are grouped by prompt, with the first node of each part of the session. */
interface FoundSession {
  readonly treeId: TreeId;
  readonly parts: { readonly tree: TreeRow; readonly first: NodeId }[];
}

/** The number of sessions that have been regrouped, and of those that are left. */
interface RegroupProgress {
  readonly done: number;
  readonly left: number;
}

/** What regrouping or its undo changed, or would change in a preview. */
export interface RegroupReport {
  /** The number of trees by prompt that were moved to the trash; for an undo, those that were restored. */
  readonly trees: number;
  readonly sessions: readonly { readonly treeId: TreeId; readonly title: string | null; readonly messages: number }[];
}

/** Which project to regroup, and whether only to preview it. */
export interface RegroupOptions extends RecordingServices {
  readonly project: string;
  /** Whether to report the result without changing anything. */
  readonly preview?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: RegroupProgress) => void;
}

// How many levels below the first message its reply is searched for; reminders and notes may be in between.
const levelsToReply = 6;

/** Regroups a project. An interrupted run can be repeated without duplicates. */
export async function regroupRecordingsBySession(store: Store, options: RegroupOptions): Promise<RegroupReport> {
  const { project, preview = false, signal } = options;
  const trees = await forestTrees(store, project);
  const sessions = await findSessions(store, trees, signal);
  const sessionReports: RegroupReport['sessions'][number][] = [];
  for (const [index, session] of sessions.entries()) {
    signal?.throwIfAborted();
    sessionReports.push(await makeSession(store, session, project, preview, contextOf(options)));
    options.onProgress?.({ done: index + 1, left: sessions.length - index - 1 });
  }
  // The old trees are deleted last, so that an interrupted run leaves them unchanged.
  if (!preview) for (const { id } of trees) await run(store, { type: 'delete-tree', treeId: id }, contextOf(options));
  return { trees: trees.length, sessions: sessionReports };
}

/** Undoes regrouping: restores the trees by prompt and moves the trees by session to the trash. */
export async function undoRegroup(store: Store, options: RegroupOptions): Promise<RegroupReport> {
  const { project, preview = false } = options;
  const back: TreeId[] = [];
  const sessions: RegroupReport['sessions'][number][] = [];
  const former = new Set<string>();
  for (const row of await allTrees(store, { project, tag: recordedTag })) {
    const from = row.attributes.metadata?.['regroupedFrom'];
    // A copy has the metadata of its source, but belongs to the user who made it, so it is kept.
    if (!Array.isArray(from) || row.attributes.copiedFrom !== undefined) continue;
    for (const id of from) if (typeof id === 'string') former.add(id);
    sessions.push({ treeId: row.id, title: row.attributes.autoTitle ?? null, messages: row.nextSeq - 1 });
  }
  for (const row of await allTrees(store, { project, trashed: true })) if (former.has(row.id)) back.push(row.id);
  if (!preview) {
    for (const id of back) await run(store, { type: 'restore-tree', treeId: id }, contextOf(options));
    for (const { treeId: id } of sessions) await run(store, { type: 'delete-tree', treeId: id }, contextOf(options));
  }
  return { trees: back.length, sessions };
}

function contextOf({ actor, now, newId }: RegroupOptions): RunContext {
  return { actor, now, newId, kit: messageKit, actId: newId() };
}

async function allTrees(store: Store, query: Parameters<Store['trees']>[0]): Promise<TreeRow[]> {
  const rows: TreeRow[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await store.trees({ ...query, limit: 200, ...(cursor === undefined ? {} : { cursor }) });
    rows.push(...page.items);
    cursor = page.cursor;
  }
  return rows;
}

/** Returns the trees that are grouped by prompt, oldest first, because a session begins in the oldest one. */
async function forestTrees(store: Store, project: string): Promise<readonly TreeRow[]> {
  const rows = await allTrees(store, { project, forest: true });
  return rows.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
}

/**
 * Finds the sessions. Each first message begins a session, unless an earlier tree has the same message with one of the
 * same replies. In that case only the system prompt of the session changed.
 */
async function findSessions(
  store: Store,
  trees: readonly TreeRow[],
  signal: AbortSignal | undefined,
): Promise<readonly FoundSession[]> {
  const sessions: FoundSession[] = [];
  const byBeginning = new Map<string, FoundSession>();
  for (const tree of trees) {
    for (const { id: first } of await store.read(tree.id, () => ask('children', { of: tree.rootId }))) {
      signal?.throwIfAborted();
      const beginnings = await store.read(tree.id, () => ask('subtree', { of: first, depth: levelsToReply }));
      const names = replyBeginnings(beginnings, first);
      const known = names.map((name) => byBeginning.get(name)).find((session) => session !== undefined);
      const session = known ?? { treeId: treeId(deriveId('regroup', tree.id, first)), parts: [] };
      if (known === undefined) sessions.push(session);
      session.parts.push({ tree, first });
      for (const name of names) if (!byBeginning.has(name)) byBeginning.set(name, session);
    }
  }
  return sessions;
}

/** Returns the keys of the messages from the first one to each of its first replies. */
function replyBeginnings(nodes: readonly Node[], first: NodeId): string[] {
  const names = new Map<NodeId, string>();
  const found: string[] = [];
  for (const node of nodes) {
    const above = node.id === first ? '' : names.get(node.parentId ?? first);
    if (above === undefined) continue;
    const name = `${above}/${node.key ?? node.id}`;
    if (node.message?.role === 'assistant') found.push(name);
    else names.set(node.id, name);
  }
  return found;
}

async function makeSession(
  store: Store,
  { treeId: id, parts }: FoundSession,
  project: string,
  preview: boolean,
  context: RunContext,
): Promise<RegroupReport['sessions'][number]> {
  const [begins] = parts;
  const prompt = begins?.tree.attributes.systemPrompt;
  const builder = new SessionBuilder(id, prompt);
  for (const { tree, first } of parts)
    builder.add(await store.read(tree.id, () => ask('subtree', { of: first })), first, tree.attributes.systemPrompt);
  const title = titleOfCall(builder.messages());
  const report = { treeId: id, title, messages: builder.nodes.length };
  if (preview) return report;
  const there = await store.read(id, () => ask('tree', {}));
  if (there?.attributes.trashedAt !== undefined) await run(store, { type: 'restore-tree', treeId: id }, context);
  const metadata: JsonObject = { recorded: {}, regroupedFrom: [...new Set(parts.map(({ tree }) => tree.id))] };
  const attributes = {
    project,
    tags: [recordedTag],
    metadata,
    ...(prompt === undefined ? {} : { systemPrompt: prompt }),
    ...(title === null ? {} : { autoTitle: title }),
  };
  await run(store, { type: 'import', treeId: id, attributes, nodes: builder.nodes }, context);
  const rows = [...builder.replies()].flatMap(({ nodeId: reply, messages }) =>
    buildHistoryExternalIds(id, reply, messages, historyKeysOf(messages), project),
  );
  for (let from = 0; from < rows.length; from += rowsAtOnce)
    await store.putExternalIds(rows.slice(from, from + rowsAtOnce));
  return report;
}

const rowsAtOnce = 500;

/** Joins the parts of a session. Equal messages below the same parent become one message. */
class SessionBuilder {
  readonly nodes: ImportNode[] = [];
  readonly #treeId: TreeId;
  readonly #prompt: string | undefined;
  readonly #byPlace = new Map<string, string>();
  readonly #byId = new Map<string, ImportNode>();

  constructor(id: TreeId, prompt: string | undefined) {
    this.#treeId = id;
    this.#prompt = prompt;
  }

  add(subtree: readonly Node[], first: NodeId, prompt: string | undefined): void {
    const ids = new Map<NodeId, string>();
    const added = new Set<string>();
    const isFirstPart = this.nodes.length === 0;
    // Variants keep the order in which they are read.
    const from = this.nodes.length;
    const orders = new Map(subtree.map(({ id }, index) => [id, from + index]));
    for (const node of inOrderOfCreation(subtree)) {
      if (node.message === null || node.kind === 'root') continue;
      const parentId = node.id === first ? null : (ids.get(node.parentId ?? first) ?? null);
      if (node.id !== first && parentId === null) continue;
      const place = `${parentId}/${node.kind}/${node.key ?? node.id}`;
      const known = isFirstPart ? undefined : this.#byPlace.get(place);
      const id = known ?? deriveId('regroup-node', this.#treeId, node.id);
      ids.set(node.id, id);
      if (known !== undefined) continue;
      this.#byPlace.set(place, id);
      const changes = prompt !== this.#prompt && (parentId === null || !added.has(parentId));
      added.add(id);
      const noted = changes ? { recordedPrompt: prompt ?? '' } : {};
      this.#push(node, node.message, { id, parentId, order: orders.get(node.id) ?? from }, noted);
    }
  }

  #push(node: Node, message: Message, place: Pick<ImportNode, 'id' | 'parentId' | 'order'>, noted: JsonObject): void {
    const importNode: ImportNode = {
      ...place,
      message,
      kind: node.kind === 'root' ? 'message' : node.kind,
      status: node.status === 'pending' ? 'error' : node.status,
      meta: { ...noted, ...node.meta },
      createdAt: node.createdAt,
      ...(node.groupId > 0 ? { group: node.groupId } : {}),
    };
    this.nodes.push(importNode);
    this.#byId.set(place.id, importNode);
  }

  messages(): readonly Message[] {
    return this.nodes.map(({ message }) => message);
  }

  /** Yields the last reply of each branch, where its session continues, with the messages up to it. */
  *replies(): Generator<{ readonly nodeId: NodeId; readonly messages: readonly Message[] }> {
    const continued = new Set<string>();
    for (const made of this.nodes.toReversed()) {
      const isReply = made.message.role === 'assistant' && (made.kind ?? 'message') === 'message';
      if (made.parentId !== null && (isReply || continued.has(made.id))) continued.add(made.parentId);
      if (!isReply || continued.has(made.id)) continue;
      const messages: Message[] = [];
      for (let at: ImportNode | undefined = made; at !== undefined; at = this.#byId.get(at.parentId ?? ''))
        messages.push(at.message);
      yield { nodeId: nodeId(made.id), messages: messages.reverse() };
    }
  }
}

/**
 * Returns nodes in the order of creation, but each after its parent, because a split or a move may have created the
 * parent later.
 */
function inOrderOfCreation(subtree: readonly Node[]): readonly Node[] {
  const byId = new Map(subtree.map((node) => [node.id, node]));
  const ordered = new Set<Node>();
  for (const node of subtree.toSorted((a, b) => a.seq - b.seq)) {
    const missing: Node[] = [];
    for (let at: Node | undefined = node; at !== undefined && !ordered.has(at); at = byId.get(at.parentId ?? at.id)) {
      if (missing.includes(at)) break;
      missing.push(at);
      if (at.parentId === null) break;
    }
    for (const one of missing.toReversed()) ordered.add(one);
  }
  return [...ordered];
}
