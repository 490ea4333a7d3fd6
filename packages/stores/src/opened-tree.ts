/** The contract of an open tree: what an app passes to `openTree` and gets from it. */
import type {
  Block,
  BlockInput,
  Commit,
  ContextEntry,
  Message,
  MessageInput,
  MessageKit,
  NewMessageInput,
  NodeId,
  NodeMeta,
  NodeStatus,
  Page,
  Role,
  SearchHit,
  TreeId,
} from '@coppice/core';

/** A message: the text of a user message, `{ role, content }`, or a message with a chosen id (a UUID). */
export type TreeMessageInput = NewMessageInput;

/** Options for opening a tree. */
export interface OpenTreeOptions {
  /**
   * The owner of the tree, and the actor of changes. Defaults to
   * the owner of the store. Trees of other users are not visible.
   */
  readonly user?: string;
  /** The system prompt of a tree that is created here. */
  readonly systemPrompt?: string;
  /** The title of a tree that is created here. */
  readonly title?: string;
  /** Whether the first append creates the tree, if no tree has the given id. Without an id this is always true. */
  readonly create?: boolean;
  readonly now?: () => number;
  readonly newId?: () => string;
  readonly kit?: MessageKit;
}

/** A message on a path, with its position among its variants. */
export interface TreeMessage {
  readonly id: NodeId;
  /** The id of the message above; null for a first message. */
  readonly parentId: NodeId | null;
  readonly role: Role;
  readonly content: readonly Block[];
  readonly text: string;
  readonly status: NodeStatus;
  readonly createdAt: number;
  readonly meta: NodeMeta;
  /** The position among the variants, from 0. */
  readonly index: number;
  /** The number of variants, this message included. */
  readonly count: number;
}

/** All variants of one message, in their stored order. */
export interface MessageVariants {
  readonly index: number;
  readonly count: number;
  readonly messages: readonly TreeMessage[];
}

/** A part of a branch, as a page shows it. */
export interface TreeMessagePage {
  readonly messages: readonly TreeMessage[];
  /** The cursor of the page above, for `before`; null if this page has the first message. */
  readonly before: NodeId | null;
  readonly activeId: NodeId | null;
  readonly version: number;
}

/** The context that a model gets at the end of a branch. */
export interface ModelContext {
  /** The system prompt, the summary of a compaction and the messages, in order. */
  readonly messages: readonly Message[];
  readonly entries: readonly ContextEntry[];
  /** The estimated number of tokens of the whole context. */
  readonly tokens: number;
}

/** A reply that is to be generated again. Nothing is written before `add` is called. */
export interface PreparedReply {
  /** The message to which the new reply belongs. */
  readonly prompt: TreeMessage;
  /** The context for the model, which ends at the prompt. */
  readonly context: ModelContext;
  /** Adds the new reply as a variant of the existing ones, and makes it active. */
  add(reply: MessageInput, options?: { readonly id?: string; readonly meta?: NodeMeta }): Promise<TreeMessage>;
}

/** Where `append` adds messages, and whether they become active. */
export interface AppendOptions {
  /** The id of the parent. Defaults to the active message. Null adds a first message to the tree. */
  readonly parentId?: string | null;
  /** Whether the last message becomes active. Defaults to true. */
  readonly select?: boolean;
}

/** An open tree. Every method rejects with an `AppError`, whose message says what is wrong. */
export interface OpenedTree {
  readonly id: TreeId;
  /**
   * Adds messages below one another. Equal messages that exist there
   * are reused, unless an id is chosen. Returns the last message.
   */
  append(input: TreeMessageInput | readonly TreeMessageInput[], options?: AppendOptions): Promise<TreeMessage>;
  /** Adds a variant with another text, and makes it active. The old variant stays. */
  edit(id: string, content: string | readonly BlockInput[], options?: { readonly id?: string }): Promise<TreeMessage>;
  /** Prepares another reply to the same prompt. Generate it from `context`, then call `add`. */
  regenerate(id: string): Promise<PreparedReply>;
  /** Makes a message the active one: the active path ends there. */
  select(id: string): Promise<TreeMessage>;
  /**
   * Selects the next variant of a message, at the leaf that was visited last. After the last variant comes the first.
   */
  next(id: string): Promise<TreeMessage>;
  /** Selects the previous variant of a message. Before the first variant comes the last. */
  previous(id: string): Promise<TreeMessage>;
  /** Moves a message to the trash. Its children move up to its parent, unless `keepChildren` is false. */
  remove(id: string, options?: { readonly keepChildren?: boolean }): Promise<void>;
  /** Moves a message with its subtree below another one (null: to the top), before a sibling or to the end. */
  move(id: string, parentId: string | null, options?: { readonly before?: string }): Promise<void>;
  /** Undoes the newest act of the user that is not undone yet. */
  undo(): Promise<void>;
  /** Redoes the act that was undone last. */
  redo(): Promise<void>;
  /** Returns the active path from the first message on. */
  messages(): Promise<readonly TreeMessage[]>;
  variants(id: string): Promise<MessageVariants>;
  /** Returns the path from the first message to a message. */
  path(id: string): Promise<readonly TreeMessage[]>;
  /** Returns the last messages of a branch (20 by default), or the messages before a cursor. */
  page(request?: {
    readonly nodeId?: string;
    readonly limit?: number;
    readonly before?: string;
  }): Promise<TreeMessagePage>;
  /** Returns the context that a model gets at a message; at the active message by default. */
  context(id?: string): Promise<ModelContext>;
  /** Finds messages in all branches that contain all words of a text, newest first. */
  search(text: string, options?: { readonly limit?: number; readonly cursor?: string }): Promise<Page<SearchHit>>;
  /**
   * Calls the listener for each new commit of any writer. Resolves to a
   * function that ends the subscription. Closing the store ends it too.
   */
  subscribe(listener: (commit: Commit) => void, onError?: (error: unknown) => void): Promise<() => void>;
  /** Ends all subscriptions. The store stays open. */
  close(): Promise<void>;
}
