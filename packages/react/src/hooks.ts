/** The React hooks for trees, branches, messages and search. */
import {
  type ContextAnswer,
  type EditOutcome,
  type GenerationOptions,
  type GenerationResult,
  type HttpProblem,
  type ListPage,
  type LiveReply,
  type LiveToolCall,
  type OpenTreeState,
  type SearchHit,
  shownPath,
  type Topology,
  type TreeFilter,
  type TreeSession,
  type TreeViewData,
  toHttpProblem,
  treeTitleOf,
  variantPositionOf,
  type WriteResponse,
} from '@coppice/client';
import { type Bookmark, type Message, type Node, type NodeId, nodeId, treeId as toTreeId } from '@coppice/core';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useClient, useSession, useTreeState } from './context.tsx';
import { type RequestState, useRequest } from './use-request.ts';

export {
  CoppiceProvider,
  TreeProvider,
  useClient,
  useOpenTree,
  useOptionalSession,
  useSession,
  useTreeState,
} from './context.tsx';
export type { RequestState } from './use-request.ts';

/** The trees of a list, which follows changes. */
export interface TreeListView {
  readonly trees: readonly TreeViewData[];
  /** False until the server has answered for the first time. */
  readonly isReady: boolean;
  readonly problem: HttpProblem | null;
  readonly hasMore: boolean;
  loadMore(): Promise<void>;
  refresh(): Promise<void>;
}

const listPageSize = 60;
const listDelayMs = 250;

interface LoadedTrees {
  readonly trees: readonly TreeViewData[];
  readonly cursor: string | null;
  readonly isReady: boolean;
  readonly problem: HttpProblem | null;
}

/** Adds a page to the list. A tree that moved to a later page meanwhile is not listed twice. */
function addTreePage({ trees }: LoadedTrees, page: ListPage<TreeViewData>): LoadedTrees {
  const known = new Set(trees.map((tree) => tree.id));
  const added = page.items.filter((tree) => !known.has(tree.id));
  return { trees: [...trees, ...added], cursor: page.cursor, isReady: true, problem: null };
}

const noTrees: LoadedTrees = { trees: [], cursor: null, isReady: false, problem: null };

/** Returns the user's trees, newest first; the list follows changes in other tabs and programs. */
export function useTreeList(filter: TreeFilter = {}): TreeListView {
  const client = useClient();
  const key = JSON.stringify(filter);
  const [{ trees, cursor, isReady, problem }, setState] = useState(noTrees);
  const newest = useRef(0);
  const read = useCallback(
    async (from: string | null) => {
      const turn = ++newest.current;
      const wanted: TreeFilter = JSON.parse(key);
      try {
        const after = from === null ? {} : { cursor: from };
        const page = await client.api.trees({ limit: listPageSize, ...wanted, ...after });
        if (turn === newest.current) setState((before) => addTreePage(from === null ? noTrees : before, page));
      } catch (thrown) {
        if (turn === newest.current)
          setState((before) => ({ ...before, isReady: true, problem: toHttpProblem(thrown) }));
      }
    },
    [client, key],
  );
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    void read(null);
    const feed = client.followTrees(() => {
      clearTimeout(timer);
      timer = setTimeout(() => void read(null), listDelayMs);
    });
    return () => {
      newest.current++;
      clearTimeout(timer);
      feed.close();
    };
  }, [client, read]);
  return {
    trees,
    isReady,
    problem,
    hasMore: cursor !== null,
    loadMore: () => (cursor === null ? Promise.resolve() : read(cursor)),
    refresh: () => read(null),
  };
}

/** The open tree and its connection, from {@link useTree}. */
export interface TreeView {
  readonly session: TreeSession;
  readonly phase: OpenTreeState['phase'];
  readonly problem: HttpProblem | null;
  readonly tree: TreeViewData | null;
  readonly title: string | null;
  /** False while the server cannot be reached. */
  readonly isConnected: boolean;
  /** The number of writes that the server has not confirmed yet. */
  readonly waitingWrites: number;
}

/** Returns the open tree of the nearest provider. */
export function useTree(): TreeView {
  const session = useSession();
  const phase = useTreeState((state) => state.phase);
  const problem = useTreeState((state) => state.problem);
  const tree = useTreeState((state) => state.part?.tree ?? null);
  const isConnected = useTreeState((state) => state.connected);
  const waitingWrites = useTreeState((state) => state.waiting);
  return { session, phase, problem, tree, title: tree === null ? null : treeTitleOf(tree), isConnected, waitingWrites };
}

/** The messages of the shown branch, from {@link useBranch}. */
export interface BranchView {
  readonly messages: readonly Node[];
  /** The last node of the branch. The next message is added below this node. */
  readonly leafId: NodeId | null;
  readonly hasOlder: boolean;
  readonly hasNewer: boolean;
  readonly isLoadingOlder: boolean;
  loadOlder(): Promise<void>;
  loadNewer(): Promise<void>;
  /** Shows the branch through a message and makes it the active one. */
  show(id: string): Promise<void>;
}

const noMessages: readonly Node[] = [];

/** Returns the messages of the shown branch, including those that the server has not confirmed yet. */
export function useBranch(): BranchView {
  const session = useSession();
  const part = useTreeState((state) => state.part);
  const isLoadingOlder = useTreeState((state) => state.loadingAbove);
  const messages = useMemo(() => (part === null ? noMessages : shownPath(part)), [part]);
  return {
    messages,
    leafId: part?.leaf ?? null,
    hasOlder: part !== null && part.before !== null,
    hasNewer: part !== null && part.until !== null,
    isLoadingOlder,
    loadOlder: () => session.loadOlder(),
    loadNewer: () => session.loadNewer(),
    show: (id) => session.go(nodeId(id)),
  };
}

/** One message, with the functions that change it. */
export interface MessageView {
  /** Null if the message is not loaded or was deleted. */
  readonly node: Node | null;
  /** Whether the server has not confirmed the message yet. */
  readonly isUnconfirmed: boolean;
  readonly bookmark: Bookmark | null;
  /** The message that another user added or changed at the same time. */
  readonly conflictId: NodeId | null;
  edit(content: string | Message['content'], mode?: 'branch' | 'in-place'): Promise<EditOutcome>;
  regenerate(options?: GenerationOptions): Promise<GenerationResult>;
  remove(options?: { readonly keepChildren?: boolean }): Promise<WriteResponse>;
  setBookmark(title: string | null): Promise<WriteResponse>;
}

/** Returns one message of the open tree. */
export function useMessage(messageId: string): MessageView {
  const id = nodeId(messageId);
  const { actions } = useSession();
  const node = useTreeState((state) => state.part?.nodes.get(id) ?? null);
  const isUnconfirmed = useTreeState((state) => state.unconfirmed.has(id));
  const bookmark = useTreeState((state) => state.part?.bookmarks.get(id) ?? null);
  const conflictId = useTreeState((state) => state.conflicts.get(id) ?? null);
  return {
    node,
    isUnconfirmed,
    bookmark,
    conflictId,
    edit: (content, mode) => actions.edit(id, content, mode),
    regenerate: (options) => actions.regenerate(id, options),
    remove: ({ keepChildren = true } = {}) => actions.remove(id, keepChildren ? 'splice' : 'cascade'),
    setBookmark: (title) => actions.setBookmark(id, title),
  };
}

/** The variants of a message and functions to show them, from {@link useVariants}. */
export interface VariantsView {
  /** The index of the message among its variants, from 0. */
  readonly index: number;
  readonly count: number;
  readonly ids: readonly NodeId[];
  /** Shows a variant. Its messages that are already loaded are rendered immediately. */
  show(id: string): Promise<void>;
  next(): Promise<void>;
  previous(): Promise<void>;
}

/**
 * Returns the variants of a message. `next` at the last variant shows the first one, and `previous` at the first
 * variant shows the last one.
 */
export function useVariants(messageId: string): VariantsView {
  const id = nodeId(messageId);
  const session = useSession();
  const part = useTreeState((state) => state.part);
  const node = part?.nodes.get(id);
  const { at, ids } = useMemo(
    () => (part === null || node === undefined ? { at: 1, ids: [id] } : variantPositionOf(part, node)),
    [part, node, id],
  );
  const show = (to: string | undefined) => (to === undefined || to === id ? Promise.resolve() : session.go(nodeId(to)));
  const count = ids.length;
  return {
    index: at - 1,
    count,
    ids,
    show,
    next: () => show(ids[at % count]),
    previous: () => show(ids[(at - 2 + count) % count]),
  };
}

/** A reply while it is generated, from {@link useStreamingReply}. */
export interface StreamingReplyView {
  /** Null if the message is complete. */
  readonly reply: LiveReply | null;
  readonly isStreaming: boolean;
  /** Stops the reply; the text received so far is kept. */
  stop(): Promise<void>;
}

/** Returns the text of a reply while it is generated. */
export function useStreamingReply(messageId: string): StreamingReplyView {
  const id = nodeId(messageId);
  const { actions } = useSession();
  const reply = useTreeState((state) => state.live.get(id) ?? null);
  return { reply, isStreaming: reply !== null, stop: () => actions.stop(id) };
}

/** A tool call that waits for a decision. */
export interface PendingApproval extends LiveToolCall {
  readonly callId: string;
}

/** The tool calls that wait for a decision, and a function that decides, from {@link useToolApprovals}. */
export interface ToolApprovalsView {
  readonly pending: readonly PendingApproval[];
  /** Runs the call. With `remember`, later calls of the tool run without asking. */
  approve(callId: string, options?: { readonly remember?: boolean }): Promise<void>;
  /** Refuses this call; the next call of the tool waits for a decision again. */
  refuse(callId: string): Promise<void>;
}

/** Returns the tool calls of the open tree that wait for a decision. */
export function useToolApprovals(): ToolApprovalsView {
  const { actions } = useSession();
  const calls = useTreeState((state) => state.calls);
  const pending = useMemo(
    () => [...calls].flatMap(([callId, call]) => (call.state === 'waiting' ? [{ callId, ...call }] : [])),
    [calls],
  );
  return {
    pending,
    approve: (callId, { remember = false } = {}) => actions.approve(callId, true, remember),
    refuse: (callId) => actions.approve(callId, false),
  };
}

/** The draft of the next message and functions to send it, from {@link useComposer}. */
export interface ComposerView {
  readonly text: string;
  setText(text: string): void;
  /**
   * Sends the text as a child of the last message, as soon as the tree is loaded. If the message was not stored, the
   * text is put back into the field.
   */
  send(options?: GenerationOptions): Promise<GenerationResult | null>;
  readonly canSend: boolean;
  /** The replies that are being generated at the end of the branch. */
  readonly streaming: readonly NodeId[];
  /** Stops all replies that are being generated at the end of the branch. */
  stop(): Promise<void>;
  readonly problem: HttpProblem | null;
}

/** Returns the replies that are being generated below messages of the shown branch. */
function repliesOnBranch(live: OpenTreeState['live'], part: OpenTreeState['part']): readonly NodeId[] {
  if (part === null || live.size === 0) return [];
  const shown = new Set([part.tree.rootId, ...shownPath(part).map(({ id }) => id)]);
  return [...live.keys()].filter((id) => shown.has(part.nodes.get(id)?.parentId ?? id));
}

/** Waits until a tree is loaded, or until loading has failed. */
function treeIsReady({ store }: TreeSession): Promise<void> {
  return new Promise((resolve) => {
    if (store.getState().phase !== 'loading') return resolve();
    const stop = store.subscribe(({ phase }) => {
      if (phase === 'loading') return;
      stop();
      resolve();
    });
  });
}

/**
 * Returns the text of the next message. The text is stored as a draft; if a message could not be sent, its text is put
 * back.
 */
export function useComposer(options: GenerationOptions = {}): ComposerView {
  const client = useClient();
  const session = useSession();
  const { treeId } = session;
  const draft = `draft.${treeId}`;
  const isReady = useTreeState((state) => state.phase === 'ready');
  const live = useTreeState((state) => state.live);
  const part = useTreeState((state) => state.part);
  const [text, setShown] = useState('');
  const [problem, setProblem] = useState<HttpProblem | null>(null);
  // Sends the text as it is when the tree is ready, not as it was when `send` was called.
  const newest = useRef('');
  newest.current = text;
  const isWaiting = useRef(false);
  useEffect(() => {
    const unsent = client.unsent.of(treeId);
    const kept = [client.storage.read(draft) ?? '', ...unsent.map((each) => each.text)].filter((each) => each !== '');
    for (const { id } of unsent) client.unsent.drop(treeId, id);
    const restored = kept.join('\n\n');
    if (unsent.length > 0) client.storage.write(draft, restored);
    setShown(restored);
  }, [client, treeId, draft]);
  const setText = useCallback(
    (next: string) => {
      setShown(next);
      client.storage.write(draft, next === '' ? null : next);
    },
    [client, draft],
  );
  const canSend = isReady && text.trim() !== '';
  const streaming = useMemo(() => repliesOnBranch(live, part), [live, part]);
  return {
    text,
    setText,
    canSend,
    streaming,
    problem,
    async stop() {
      await Promise.all(streaming.map((id) => session.actions.stop(id)));
    },
    async send(more = {}) {
      if (isWaiting.current || newest.current.trim() === '') return null;
      isWaiting.current = true;
      await treeIsReady(session);
      isWaiting.current = false;
      const words = newest.current;
      if (session.store.getState().phase !== 'ready' || words.trim() === '') return null;
      const id = session.actions.newNodeId();
      client.unsent.keep(treeId, id, words, client.now());
      setText('');
      setProblem(null);
      const result = await session.actions.send(words, { ...options, ...more, id });
      client.unsent.drop(treeId, id);
      setProblem(result.problem);
      if (!result.sent) setText(words);
      return result;
    },
  };
}

/** The use of the context window, from {@link useContextUsage}. */
export interface ContextUsageView extends RequestState<ContextAnswer> {
  readonly tokens: number;
  readonly window: number;
  /** The used part of the context window, from 0 to 1; more than 1 if the branch does not fit. */
  readonly share: number;
}

/**
 * Returns how much of the context window the shown branch uses. The value is requested again when the branch changes.
 */
export function useContextUsage({ model = null }: { readonly model?: string | null } = {}): ContextUsageView {
  const { api, treeId } = useSession();
  const leaf = useTreeState((state) => state.base?.leaf ?? null);
  const version = useTreeState((state) => state.base?.tree.structureVersion ?? state.base?.tree.version ?? -1);
  const count = useTreeState((state) => state.base?.nodes.size ?? 0);
  const key = version < 0 ? null : JSON.stringify([treeId, leaf, model, version, count]);
  const request = useRequest(key, (signal) => api.context(treeId, { nodeId: leaf, model, limit: 1 }, signal), 100);
  const { tokens = 0, window = 0 } = request.data ?? {};
  return { ...request, tokens, window, share: window === 0 ? 0 : tokens / window };
}

/** Undo and redo of the open tree, from {@link useUndo}. */
export interface UndoView {
  undo(): Promise<boolean>;
  redo(): Promise<boolean>;
  /** Why the last undo or redo was refused. */
  readonly problem: HttpProblem | null;
}

/**
 * Returns undo and redo for the open tree. Both resolve to false if there is nothing to undo, or if changes of other
 * users prevent it.
 */
export function useUndo(): UndoView {
  const { actions } = useSession();
  const [problem, setProblem] = useState<HttpProblem | null>(null);
  const attempt = async (act: () => Promise<unknown>) => {
    try {
      await act();
      setProblem(null);
      return true;
    } catch (thrown) {
      setProblem(toHttpProblem(thrown));
      return false;
    }
  };
  return { undo: () => attempt(() => actions.undo()), redo: () => attempt(() => actions.redo()), problem };
}

/** The hits of a search, from {@link useSearch}. */
export interface SearchView {
  readonly hits: readonly SearchHit[];
  readonly isLoading: boolean;
  readonly problem: HttpProblem | null;
  /** Whether the search found more messages than `hits` contains. */
  readonly hasMore: boolean;
}

/**
 * Searches one tree, or all trees, for messages that contain all words of a text. Messages on every branch are found.
 */
export function useSearch(
  text: string,
  { treeId, limit = 50 }: { readonly treeId?: string; readonly limit?: number } = {},
): SearchView {
  const { api } = useClient();
  const words = text.trim();
  const key = words === '' ? null : JSON.stringify([words, treeId, limit]);
  const { data, isLoading, problem } = useRequest(
    key,
    (signal) => api.search(words, { limit, ...(treeId === undefined ? {} : { treeId: toTreeId(treeId) }) }, signal),
    150,
  );
  return { hits: data?.items ?? [], isLoading, problem, hasMore: data !== null && data.cursor !== null };
}

// The branch is painted before the topology is requested, which is larger.
const topologyDelayMs = 60;

/**
 * Returns the topology of the open tree. The object stays the same when the topology changes; compare `stamp` to notice
 * changes.
 */
export function useTopology(): { readonly topology: Topology | null; readonly stamp: number } {
  const session = useSession();
  const topology = useTreeState((state) => state.topology);
  const stamp = useTreeState((state) => state.stamp);
  const isReady = useTreeState((state) => state.phase === 'ready');
  useEffect(() => {
    if (!isReady) return;
    const timer = setTimeout(() => void session.loadTopology(), topologyDelayMs);
    return () => clearTimeout(timer);
  }, [session, isReady]);
  return { topology, stamp };
}
