/** Lists trees of a Coppice server as threads of assistant-ui. */
import { type RemoteThreadListAdapter, useAui } from '@assistant-ui/react';
import { type CoppiceClient, HttpProblem, type TreeViewData } from '@coppice/client';
import { deriveId, titleFromText } from '@coppice/content';
import { isUuid, type OptionNames, type TreeId, treeId } from '@coppice/core';
import { assertOptionNames } from '@coppice/core/decode';
import { useMemo } from 'react';
import { assertClient, createThreadHistory } from './history.ts';

/** The client and the project whose chats are listed. */
export interface ThreadListOptions {
  readonly client: CoppiceClient;
  /** The project of the threads. Without a project, all chats of the user are listed. */
  readonly project?: string;
}

const optionNames: OptionNames<ThreadListOptions> = { client: true, project: true };

type ThreadMetadata = Awaited<ReturnType<RemoteThreadListAdapter['fetch']>>;
type TitleStream = Awaited<ReturnType<RemoteThreadListAdapter['generateTitle']>>;
type TitleChunk = TitleStream extends ReadableStream<infer C> ? C : never;

const pageSize = 50;

function toThread({ id, title, autoTitle, metadata, updatedAt }: TreeViewData): ThreadMetadata {
  const shown = title ?? autoTitle;
  return {
    remoteId: id,
    status: metadata.archived === true ? 'archived' : 'regular',
    ...(shown === null ? {} : { title: shown }),
    lastMessageAt: new Date(updatedAt),
  };
}

/** Converts a text to the stream format of assistant-ui. */
function titleStream(title: string): TitleStream {
  const chunks: readonly TitleChunk[] = [
    { type: 'part-start', path: [], part: { type: 'text' } },
    { type: 'text-delta', path: [0], textDelta: title },
    { type: 'part-finish', path: [0] },
  ];
  return new ReadableStream<TitleChunk>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

/**
 * Creates the adapter for `useRemoteThreadListRuntime`. Each thread is a tree with its own history, so that branches,
 * edits and regenerated replies survive a reload.
 */
export function createThreadListAdapter(options: ThreadListOptions): RemoteThreadListAdapter {
  assertOptionNames('createThreadListAdapter', options, optionNames);
  const { client, project } = options;
  assertClient('createThreadListAdapter', client);
  const { api } = client;
  const setArchived = async (id: string, archived: boolean) => {
    const { metadata } = await api.tree(treeId(id));
    await api.patch(treeId(id), { metadata: { ...metadata, archived } });
  };
  return {
    async list({ after } = {}) {
      const { items, cursor } = await api.trees({
        limit: pageSize,
        ...(project === undefined ? {} : { project }),
        ...(after === undefined ? {} : { cursor: after }),
      });
      return { threads: items.map(toThread), ...(cursor === null ? {} : { nextCursor: cursor }) };
    },
    async fetch(id) {
      const tree = await api.tree(treeId(id));
      if (tree.deletedAt !== null) throw new HttpProblem('tree/unknown-tree', `There is no chat ${id}.`, 404);
      return toThread(tree);
    },
    async initialize(threadId) {
      const id = treeId(isUuid(threadId) ? threadId : deriveId('assistant-ui', threadId));
      try {
        await api.create({ id, ...(project === undefined ? {} : { project }) });
      } catch (error) {
        // The request was repeated; the thread already exists.
        if (!(error instanceof HttpProblem) || error.code !== 'id/taken') throw error;
        await api.tree(id);
      }
      return { remoteId: id };
    },
    async rename(id, title) {
      await api.patch(treeId(id), { title });
    },
    archive: (id) => setArchived(id, true),
    unarchive: (id) => setArchived(id, false),
    async delete(id) {
      await api.removeTree(treeId(id));
    },
    async generateTitle(id, messages) {
      const { title, autoTitle } = await api.tree(treeId(id));
      const known = title ?? autoTitle;
      if (known !== null) return titleStream(known);
      const first = messages.find(({ role }) => role === 'user')?.content.find(({ type }) => type === 'text');
      const made = first?.type === 'text' ? (titleFromText(first.text) ?? '') : '';
      if (made !== '') await api.patch(treeId(id), { title: made });
      return titleStream(made);
    },
    unstable_useAdapters: function useTreeAdapters() {
      return useThreadHistory(client);
    },
  };
}

/** The history of the thread that assistant-ui shows, on the tree of that thread. */
function useThreadHistory(client: CoppiceClient): { readonly history: ReturnType<typeof createThreadHistory> } {
  const aui = useAui();
  return useMemo(() => {
    // The tree is looked up at each call, because a new thread gets its tree only with the first message.
    const currentTree = (): TreeId | null => {
      const { remoteId } = aui.threadListItem().getState();
      return remoteId === undefined ? null : treeId(remoteId);
    };
    const requireTree = async () => treeId((await aui.threadListItem().initialize()).remoteId);
    return { history: createThreadHistory({ client, currentTree, requireTree }) };
  }, [aui, client]);
}
