/** What is asked of a session, and what it answers. */
import type { SessionEntry, SessionFiles, SessionHeader, SessionWarning } from '@coppice/content/sessions';
import type { Context, ContextEntry, ContextFlag, Message, MessageKit } from '@coppice/core';

/** What a manager is made with; all but the files has a default. */
export interface SessionOptions {
  readonly files: SessionFiles;
  /** Who writes; `local` if not given. */
  readonly actor?: string;
  readonly now?: () => number;
  readonly newId?: () => string;
  readonly kit?: MessageKit;
}

/** Whether a session is opened to be read only, whoever else in the process writes to its file. */
export interface ReadOnly {
  readonly readOnly?: boolean;
}

/** Where a new session begins. */
export interface NewSessionOptions extends SessionOptions {
  readonly folder: string;
  readonly cwd?: string;
  readonly parentSession?: string;
}

/** A message as it may be given: content as blocks or as a text. */
export type AppMessage = Message | { readonly role: 'user' | 'assistant' | 'system'; readonly content: string };

/** An entry as it may be given: id, place and time are filled in where they are missing. */
export interface NewEntry {
  readonly type: string;
  readonly uuid?: string;
  readonly parentUuid?: string | null;
  readonly timestamp?: string;
  readonly [key: string]: unknown;
}

/** A compaction as it may be given. */
export interface NewCompaction {
  readonly summary: string;
  /** The first entry that stays in force as it is; on the path. */
  readonly firstKeptEntryUuid?: string;
  readonly tokensBefore?: number;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly uuid?: string;
  /** The entry that it is saved below; the leaf if not given. */
  readonly parentUuid?: string;
}

/** What a model sees at a place of a session, and the settings there. */
export interface SessionContext {
  readonly messages: readonly Message[];
  /** The same with the reason why each is there. */
  readonly entries: readonly ContextEntry[];
  /** What was set last on the way here, or answered last. */
  readonly model: { readonly provider: string; readonly modelId: string } | null;
  readonly thinkingLevel: string;
  readonly tokens: number;
  readonly estimate: Context['estimate'];
  readonly flags: readonly ContextFlag[];
}

/** What came of going somewhere. */
export interface BranchResult {
  /** The text of the user message that was gone to, to be changed and sent again; else empty. */
  readonly selectedText: string;
  /** A hook said no. */
  readonly cancelled: boolean;
  /** Where the session goes on, if that is a new file. */
  readonly newSessionFile?: string;
  /** Whether the session stayed in its file. */
  readonly inPlace: boolean;
  /** Why it was cancelled. */
  readonly reason?: string;
}

/** One point of a session's tree. Flat: children are named, never nested. */
export interface SessionTreeNode {
  readonly uuid: string;
  /** The header's uuid for first turns. */
  readonly parentUuid: string;
  readonly type: string;
  readonly role: Message['role'] | null;
  readonly preview: string;
  readonly timestamp: string | null;
  readonly label: string | null;
  readonly children: readonly string[];
  /** Whether it lies on the way to the current leaf. */
  readonly onPath: boolean;
}

/** A session's tree, parents before children. */
export interface SessionTree {
  readonly root: string;
  readonly leaf: string;
  readonly nodes: readonly SessionTreeNode[];
}

/** What a compaction came to. */
export interface CompactionResult {
  readonly uuid: string;
  readonly summary: string;
  readonly firstKeptEntryUuid: string | null;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

/** Figures of a session. */
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
  /** As reported with replies, over all branches. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly warnings: readonly SessionWarning[];
}

export type { SessionEntry, SessionHeader, SessionWarning };
