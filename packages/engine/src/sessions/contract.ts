/** Options and results of sessions. */
import type { SessionEntry, SessionFiles, SessionHeader, SessionWarning } from '@coppice/content/sessions';
import type { Context, ContextEntry, ContextFlag, Message, MessageKit } from '@coppice/core';

/** Options of a session manager; everything but the files has a default. */
export interface SessionOptions {
  readonly files: SessionFiles;
  /** The author; by default `local`. */
  readonly actor?: string;
  readonly now?: () => number;
  readonly newId?: () => string;
  readonly kit?: MessageKit;
}

/** Opens a session for reading only, even if this process writes to its file elsewhere. */
export interface ReadOnlyOption {
  readonly readOnly?: boolean;
}

/** Where to create a session. */
export interface NewSessionOptions extends SessionOptions {
  readonly folder: string;
  readonly cwd?: string;
  readonly parentSession?: string;
}

/** A message as callers pass it: content as blocks or as a string. */
export type AppMessage = Message | { readonly role: 'user' | 'assistant' | 'system'; readonly content: string };

/** An entry as callers pass it: missing id, parent and time are filled in. */
export interface NewEntry {
  readonly type: string;
  readonly uuid?: string;
  readonly parentUuid?: string | null;
  readonly timestamp?: string;
  readonly [key: string]: unknown;
}

/** A compaction as callers pass it. */
export interface NewCompaction {
  readonly summary: string;
  /** The first entry that stays in the context; must be on the path. */
  readonly firstKeptEntryUuid?: string;
  readonly tokensBefore?: number;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly uuid?: string;
  /** The parent of the new entry; by default the leaf. */
  readonly parentUuid?: string;
}

/** The context and settings at an entry of a session. */
export interface SessionContext {
  readonly messages: readonly Message[];
  /** The messages with the reason for including each. */
  readonly entries: readonly ContextEntry[];
  /** The last setting on the path, else the model of the last reply. */
  readonly model: { readonly provider: string; readonly modelId: string } | null;
  readonly thinkingLevel: string;
  readonly tokens: number;
  readonly estimate: Context['estimate'];
  readonly flags: readonly ContextFlag[];
}

/** The result of a move. */
export interface BranchResult {
  /** The text of the target user message, for editing; else empty. */
  readonly selectedText: string;
  /** Whether a hook cancelled the move. */
  readonly cancelled: boolean;
  /** The new file in which the session continues, if any. */
  readonly newSessionFile?: string;
  /** Whether the session stayed in its file. */
  readonly inPlace: boolean;
  /** Why the move was cancelled. */
  readonly reason?: string;
}

/** A node of a session's tree. Flat: children are listed by id, never nested. */
export interface SessionTreeNode {
  readonly uuid: string;
  /** The uuid of the parent; for a first turn that of the header. */
  readonly parentUuid: string;
  readonly type: string;
  readonly role: Message['role'] | null;
  readonly preview: string;
  readonly timestamp: string | null;
  readonly label: string | null;
  readonly children: readonly string[];
  /** Whether the node is on the path to the current leaf. */
  readonly onPath: boolean;
}

/** A session's tree, parents before children. */
export interface SessionTree {
  readonly root: string;
  readonly leaf: string;
  readonly nodes: readonly SessionTreeNode[];
}

/** The result of a compaction. */
export interface CompactionResult {
  readonly uuid: string;
  readonly summary: string;
  readonly firstKeptEntryUuid: string | null;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

/** Statistics of a session. */
export interface SessionStats {
  readonly path: string;
  readonly id: string;
  readonly entries: number;
  readonly user: number;
  readonly assistant: number;
  readonly toolCalls: number;
  readonly toolResults: number;
  readonly branches: number;
  readonly labels: number;
  /** The tokens reported with replies, over all branches. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly warnings: readonly SessionWarning[];
}

export type { SessionEntry, SessionHeader, SessionWarning };
