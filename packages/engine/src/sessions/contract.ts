/** Options and results of sessions. */
import type { SessionEntry, SessionFiles, SessionHeader, SessionWarning } from '@coppice/content/sessions';
import type { Context, ContextEntry, ContextFlag, Message, MessageKit } from '@coppice/core';

/** The files of a session manager, and optional replacements for its defaults. */
export interface SessionOptions {
  readonly files: SessionFiles;
  /** The author of saved entries; by default `local`. */
  readonly actor?: string;
  readonly now?: () => number;
  readonly newId?: () => string;
  readonly kit?: MessageKit;
}

/** Whether to open a session for reading only, even if this process writes to the same file elsewhere. */
export interface ReadOnlyOption {
  readonly readOnly?: boolean;
}

/** Where to create a session, and its header fields. */
export interface NewSessionOptions extends SessionOptions {
  readonly folder: string;
  readonly cwd?: string;
  readonly parentSession?: string;
}

/** A message to save; its content may be blocks or a string. */
export type AppMessage = Message | { readonly role: 'user' | 'assistant' | 'system'; readonly content: string };

/** An entry to save. Missing id, parent and time are filled in. */
export interface NewEntry {
  readonly type: string;
  readonly uuid?: string;
  readonly parentUuid?: string | null;
  readonly timestamp?: string;
  readonly [key: string]: unknown;
}

/** The summary of a compaction and what it keeps, as callers pass them. */
export interface NewCompaction {
  readonly summary: string;
  /** The first entry that stays in the context; it must be on the path to the leaf. */
  readonly firstKeptEntryUuid?: string;
  readonly tokensBefore?: number;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly uuid?: string;
  /** The parent of the new entry; by default the leaf. */
  readonly parentUuid?: string;
}

/** The messages that a model would get at an entry, and the settings there. */
export interface SessionContext {
  readonly messages: readonly Message[];
  /** The messages with the reason for including each. */
  readonly entries: readonly ContextEntry[];
  /** The model that was last set on the path, else the model of the last reply. */
  readonly model: { readonly provider: string; readonly modelId: string } | null;
  readonly thinkingLevel: string;
  readonly tokens: number;
  readonly estimate: Context['estimate'];
  readonly flags: readonly ContextFlag[];
}

/** The result of moving to an entry or to a new file. */
export interface BranchResult {
  /** The text of the chosen user message, for editing; empty for other entries. */
  readonly selectedText: string;
  /** Whether a hook cancelled the move. */
  readonly cancelled: boolean;
  /** The path of the new file, if the session continues in one. */
  readonly newSessionFile?: string;
  /** Whether the session stayed in its file. */
  readonly inPlace: boolean;
  /** Why a hook cancelled the move; absent if it was not cancelled. */
  readonly reason?: string;
}

/** A node of a session's tree. Flat: children are listed by id, never nested. */
export interface SessionTreeNode {
  readonly uuid: string;
  /** The uuid of the parent; for a first message the uuid of the header. */
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

/** A session's tree as a flat list, for display; parents come before their children. */
export interface SessionTree {
  readonly root: string;
  readonly leaf: string;
  readonly nodes: readonly SessionTreeNode[];
}

/** The entry that a compaction added, and the estimated tokens before and after. */
export interface CompactionResult {
  readonly uuid: string;
  readonly summary: string;
  readonly firstKeptEntryUuid: string | null;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

/** Counts of entries, messages and tokens of a session. */
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
  /** The tokens that providers reported for the replies of all branches. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly warnings: readonly SessionWarning[];
}

export type { SessionEntry, SessionHeader, SessionWarning };
