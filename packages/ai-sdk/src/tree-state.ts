/** The state of a chat's tree as a page gets it, and the changes that a page may request. Server and client use it. */
import type { UIMessage } from 'ai';

/** The variants of a shown message, and the index of the message among them. */
export interface UiMessageVariants {
  /** The first node of the message. */
  readonly nodeId: string;
  /**
   * The node ids of the variants, in order. Message ids cannot identify variants, because an edit keeps the message id.
   */
  readonly ids: readonly string[];
  /** The index of the message in `ids`. */
  readonly index: number;
}

/** The last message of a branch, as a list of branches shows it. */
export interface ChatBranchEnd {
  /** Pass this id to `select` to show the branch. */
  readonly id: string;
  readonly role: 'system' | 'user' | 'assistant';
  /** The beginning of the last message. */
  readonly text: string;
  readonly createdAt: number;
}

/** A reply that is being generated, on any branch. */
export interface ChatRunInfo {
  /** Pass this id to `select` to show the branch on which the reply is generated. */
  readonly id: string;
  /** The beginning of the message that the reply answers. */
  readonly text: string;
}

/** The shown branch of a chat, and short descriptions of its other branches and runs. */
export interface TreeChatState {
  /** The version of the tree; 0 while the chat has no messages. */
  readonly version: number;
  /** The messages of the shown branch, without the reply that is being generated on it. */
  readonly messages: readonly UIMessage[];
  /** The variants of each message, in the order of `messages`. */
  readonly places: readonly UiMessageVariants[];
  /** The reply that is being generated on the shown branch. */
  readonly run: string | null;
  /** All replies that are being generated. */
  readonly runs: readonly ChatRunInfo[];
  /** The newest ends of branches, newest first. */
  readonly branches: readonly ChatBranchEnd[];
  /** The end of the shown branch; null while it is empty. */
  readonly end: string | null;
}

/** A change that a page requests. */
export type TreeChange =
  | { readonly action: 'select'; readonly nodeId: string }
  | { readonly action: 'edit'; readonly nodeId: string; readonly text: string }
  | { readonly action: 'remove'; readonly nodeId: string; readonly keepChildren?: boolean }
  | { readonly action: 'undo' }
  | { readonly action: 'redo' };

/** The response header that names the run whose reply is streamed. */
export const runHeaderName = 'x-coppice-run';
