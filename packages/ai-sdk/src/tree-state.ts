/** What a page knows about the tree of its chat, and what it may change there. Both sides of the connection use it. */
import type { UIMessage } from 'ai';

/** The place of a shown message among its variants. */
export interface MessageVariantPlace {
  /** The node at which the message begins. */
  readonly nodeId: string;
  /** The variants in order, as node ids; an edit keeps the id of its message, so these tell them apart. */
  readonly ids: readonly string[];
  /** The place among them, from 0. */
  readonly index: number;
}

/** The end of a branch. */
export interface ChatBranchEnd {
  /** Pass it to `select` to show the branch. */
  readonly id: string;
  readonly role: 'system' | 'user' | 'assistant';
  /** The beginning of the last message. */
  readonly text: string;
  readonly createdAt: number;
}

/** A reply that is being generated, on any branch. */
export interface ChatRunInfo {
  /** Pass it to `select` to show the branch on which the reply is generated. */
  readonly id: string;
  /** The beginning of the message that is answered. */
  readonly text: string;
}

/** The shown branch of a chat and what there is beside it. */
export interface TreeChatState {
  /** The version of the tree; 0 while the chat has no messages. */
  readonly version: number;
  /** The messages of the shown branch, without the reply that is being generated on it. */
  readonly messages: readonly UIMessage[];
  /** The places of the messages, in the same order. */
  readonly places: readonly MessageVariantPlace[];
  /** The reply that is being generated on the shown branch. */
  readonly run: string | null;
  /** All replies that are being generated. */
  readonly runs: readonly ChatRunInfo[];
  /** The newest ends of branches, newest first. */
  readonly branches: readonly ChatBranchEnd[];
  /** The end of the shown branch; null while it is empty. */
  readonly end: string | null;
}

/** A change that a page asks for. */
export type TreeChange =
  | { readonly action: 'select'; readonly nodeId: string }
  | { readonly action: 'edit'; readonly nodeId: string; readonly text: string }
  | { readonly action: 'remove'; readonly nodeId: string; readonly keepChildren?: boolean }
  | { readonly action: 'undo' }
  | { readonly action: 'redo' };

/** The response header that names the run whose reply is streamed. */
export const runHeader = 'x-coppice-run';
