/** `useChat` of the AI SDK plus the tree of the chat. */
import { Chat, type UseChatHelpers, useChat } from '@ai-sdk/react';
import type { ChatInit, UIMessage } from 'ai';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { TreeChat, type TreeChatConnection } from './tree-chat.ts';
import type { ChatBranchEnd, ChatRunInfo } from './tree-state.ts';

export { TreeChat, type TreeChatConnection, type TreeChatSnapshot, type VariantPlace } from './tree-chat.ts';
export type { ChatBranchEnd, ChatRunInfo, MessageVariantPlace, TreeChatState } from './tree-state.ts';

/** The options of `useChat`, with the address of the handler instead of a transport. */
export interface UseTreeChatOptions<M extends UIMessage>
  extends Omit<ChatInit<M>, 'transport' | 'id'>,
    TreeChatConnection {
  /** The id of the chat: any text. The same id shows the same chat again. */
  readonly id: string;
  /** How often messages are drawn at most, in milliseconds. */
  readonly throttle?: number;
}

/** The tree of a chat. */
export interface ChatTreeView
  extends Pick<
    TreeChat,
    'variants' | 'select' | 'next' | 'previous' | 'edit' | 'remove' | 'undo' | 'redo' | 'refresh'
  > {
  /** False until the stored messages are there. */
  readonly isReady: boolean;
  /** Why the last change or read failed. */
  readonly error: Error | null;
  /** The newest ends of branches, newest first. */
  readonly branches: readonly ChatBranchEnd[];
  /** The end of the shown branch. */
  readonly end: string | null;
  /** Replies that are being generated on other branches; pass an id to `select` to see one arrive. */
  readonly runs: readonly ChatRunInfo[];
}

/** What `useChat` returns, and the tree. `stop` stops the reply at the server too. */
export interface UseTreeChatHelpers<M extends UIMessage> extends UseChatHelpers<M> {
  readonly tree: ChatTreeView;
}

interface HeldChat<M extends UIMessage> {
  readonly tree: TreeChat<M>;
  readonly chat: Chat<M>;
  /** The options of the newest render, whose callbacks are called. */
  latest: UseTreeChatOptions<M>;
}

function createHeldChat<M extends UIMessage>(options: UseTreeChatOptions<M>): HeldChat<M> {
  const {
    id,
    api: _api,
    headers,
    credentials: _c,
    body: _body,
    fetch: _fetch,
    live: _live,
    throttle,
    ...init
  } = options;
  const tree = new TreeChat<M>(id, options);
  const held: HeldChat<M> = {
    tree,
    chat: new Chat<M>({
      ...init,
      id,
      transport: tree.transport,
      onFinish: (event) => held.latest.onFinish?.(event),
      onError: (error) => held.latest.onError?.(error),
      onToolCall: (event) => held.latest.onToolCall?.(event),
      onData: (part) => held.latest.onData?.(part),
      sendAutomaticallyWhen: (event) => held.latest.sendAutomaticallyWhen?.(event) ?? false,
    }),
    latest: options,
  };
  tree.attach(held.chat);
  return held;
}

/** A stored, branching chat: `useChat` with the messages of the shown branch, and `tree` for everything beside it. */
export function useTreeChat<M extends UIMessage = UIMessage>(options: UseTreeChatOptions<M>): UseTreeChatHelpers<M> {
  const [first, setHeld] = useState(() => createHeldChat(options));
  // Another id is another chat, as in `useChat`.
  const held = first.tree.id === options.id ? first : createHeldChat(options);
  if (held !== first) setHeld(held);
  const { tree, chat } = held;
  useEffect(() => {
    held.latest = options;
  });
  useEffect(() => {
    void tree.open();
    const page = globalThis.document;
    const look = () => tree.setVisible(page.visibilityState === 'visible');
    page?.addEventListener('visibilitychange', look);
    return () => {
      page?.removeEventListener('visibilitychange', look);
      tree.close();
      void chat.stop();
    };
  }, [tree, chat]);
  const helpers = useChat<M>({
    chat,
    ...(options.throttle === undefined ? {} : { experimental_throttle: options.throttle }),
  });
  const { isReady, error, state } = useSyncExternalStore(tree.subscribe, tree.getSnapshot, tree.getSnapshot);
  const { sendMessage, regenerate, stop, variants, select, next, previous, edit, remove, undo, redo } = tree;
  return {
    ...helpers,
    sendMessage,
    regenerate,
    stop,
    tree: {
      isReady,
      error,
      branches: state.branches,
      end: state.end,
      runs: tree.runsElsewhere(),
      variants,
      select,
      next,
      previous,
      edit,
      remove,
      undo,
      redo,
      refresh: () => tree.refresh(),
    },
  };
}
