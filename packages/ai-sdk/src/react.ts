/** Extends `useChat` of the AI SDK by the tree of the chat. */

import { Chat, type UseChatHelpers, useChat } from '@ai-sdk/react';
import type { OptionNames } from '@coppice/core';
import { findNearestName } from '@coppice/core/decode';
import { type ChatInit, generateId, type UIMessage } from 'ai';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { TreeChat, type TreeChatConnection } from './tree-chat.ts';
import type { ChatBranchEnd, ChatRunInfo } from './tree-state.ts';

export { TreeChat, type TreeChatConnection, type TreeChatSnapshot, type VariantPosition } from './tree-chat.ts';
export type { ChatBranchEnd, ChatRunInfo, TreeChatState, UiMessageVariants } from './tree-state.ts';

/** The options of `useChat`, with the address of the handler instead of a transport. */
export interface UseTreeChatOptions<M extends UIMessage>
  extends Omit<ChatInit<M>, 'transport' | 'id'>,
    TreeChatConnection {
  /**
   * The id of the chat, which may be any text. The same id opens the same chat. Without an id a new chat is created;
   * the hook returns its id.
   */
  readonly id?: string;
  /** The minimum time between two renderings of messages, in milliseconds. */
  readonly throttle?: number;
  /** The name of `throttle` in the previous major version of `useChat`. */
  readonly experimental_throttle?: number;
  /** The hook always resumes a reply that is being generated, so this option of `useChat` changes nothing. */
  readonly resume?: boolean;
}

/** The tree of a chat, with the functions that change it. */
export interface ChatTreeView
  extends Pick<
    TreeChat,
    'variants' | 'select' | 'next' | 'previous' | 'edit' | 'remove' | 'undo' | 'redo' | 'refresh'
  > {
  /** False until the stored messages are loaded. */
  readonly isReady: boolean;
  /** Why the last change or read failed. */
  readonly error: Error | null;
  /** The newest ends of branches, newest first. */
  readonly branches: readonly ChatBranchEnd[];
  /** The end of the shown branch. */
  readonly end: string | null;
  /** The replies that are being generated on other branches. Pass an id to `select` to show one. */
  readonly runs: readonly ChatRunInfo[];
}

/** The result of `useChat`, and the tree. `stop` also stops the reply on the server. */
export interface UseTreeChatHelpers<M extends UIMessage> extends UseChatHelpers<M> {
  readonly tree: ChatTreeView;
}

interface HeldChat<M extends UIMessage> {
  readonly tree: TreeChat<M>;
  readonly chat: Chat<M>;
  /** The options of the newest render; callbacks are taken from these. */
  latest: UseTreeChatOptions<M>;
}

const optionNames: OptionNames<UseTreeChatOptions<UIMessage>> = {
  id: true,
  messages: true,
  generateId: true,
  messageMetadataSchema: true,
  dataPartSchemas: true,
  onError: true,
  onToolCall: true,
  onFinish: true,
  onData: true,
  sendAutomaticallyWhen: true,
  api: true,
  headers: true,
  credentials: true,
  body: true,
  fetch: true,
  live: true,
  throttle: true,
  experimental_throttle: true,
  resume: true,
};

/**
 * Refuses misspelt options, options of `useChat` that have no effect here, and ids that are not texts. Other unknown
 * options are passed to the SDK, because a later version of it may have them.
 */
function assertOptions(options: object): void {
  for (const name of ['transport', 'chat'])
    if (name in options)
      throw new TypeError(
        `useTreeChat has no option \`${name}\`: pass \`api\`, \`headers\`, \`credentials\`, \`body\` and \`fetch\` to it.`,
      );
  for (const [name, value] of Object.entries(options)) {
    if (Object.hasOwn(optionNames, name) || value === undefined) continue;
    const nearest = findNearestName(name, Object.keys(optionNames));
    if (nearest !== undefined)
      throw new TypeError(`useTreeChat has no option \`${name}\`. Did you mean \`${nearest}\`?`);
  }
  const { id }: { readonly id?: unknown } = options;
  if (id !== undefined && (typeof id !== 'string' || id === ''))
    throw new TypeError('The `id` of useTreeChat must be a text. Leave it out for a new chat.');
}

function createHeldChat<M extends UIMessage>(options: UseTreeChatOptions<M>): HeldChat<M> {
  assertOptions(options);
  const {
    id = (options.generateId ?? generateId)(),
    api: _api,
    headers,
    credentials: _c,
    body: _body,
    fetch: _fetch,
    live: _live,
    throttle: _throttle,
    experimental_throttle: _previous,
    resume: _resume,
    ...init
  } = options;
  const tree = new TreeChat<M>(id, options);
  const held: HeldChat<M> = {
    tree,
    chat: new Chat<M>({
      ...init,
      id,
      transport: tree.transport,
      onFinish: (event) => {
        tree.finishReply();
        return held.latest.onFinish?.(event);
      },
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

/**
 * Returns a stored, branching chat: `useChat` with the messages of the shown branch, and `tree` for the other branches
 * and all changes.
 */
export function useTreeChat<M extends UIMessage = UIMessage>(
  options: UseTreeChatOptions<M> = {},
): UseTreeChatHelpers<M> {
  const [first, setHeld] = useState(() => createHeldChat(options));
  // As in `useChat`, another id opens another chat.
  const held = options.id === undefined || first.tree.id === options.id ? first : createHeldChat(options);
  if (held !== first) setHeld(held);
  const { tree, chat } = held;
  useEffect(() => {
    held.latest = options;
  });
  useEffect(() => {
    void tree.open();
    const page = globalThis.document;
    const updateVisibility = () => tree.setVisible(page.visibilityState === 'visible');
    page?.addEventListener('visibilitychange', updateVisibility);
    return () => {
      page?.removeEventListener('visibilitychange', updateVisibility);
      tree.close();
      void chat.stop();
    };
  }, [tree, chat]);
  const throttle = options.throttle ?? options.experimental_throttle;
  const helpers = useChat<M>({ chat, ...(throttle === undefined ? {} : { experimental_throttle: throttle }) });
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
