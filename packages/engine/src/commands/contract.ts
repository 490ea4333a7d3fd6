/**
 * The types of commands and their results. Terminal, page, server and library use only these types, and a command does
 * not depend on which of them runs it.
 */
import type {
  ActId,
  JsonObject,
  Marker,
  MessageKit,
  NodeId,
  NodeMeta,
  RunContext,
  Store,
  TokenEstimate,
  TreeId,
} from '@coppice/core';
import type { Compactor } from '../compaction/contract.ts';
import type { EventBus } from '../events.ts';
import type { ModelProviders } from '../providers/index.ts';
import type { Phrase, PhraseLine } from './phrases.ts';

/**
 * The position of a view: the last node it shows, or null before the first message, where the next message starts a
 * new branch from the root.
 */
export interface CommandPosition {
  readonly treeId: TreeId;
  readonly activeNodeId: NodeId | null;
}

/** The store, tree and position that a command runs on, and the user who runs it. */
export interface CommandContext {
  readonly store: Store;
  readonly treeId: TreeId;
  /** Whose acts undo reverts; by default the store's owner. */
  readonly actor?: string | undefined;
  /** The position of this view; by default the tree's active node. Null is before the first message. */
  readonly activeNodeId?: NodeId | null | undefined;
  /** The nodes of the list that was printed last, so that a command can name a node by its number. */
  readonly list?: readonly NodeId[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface BranchSummary {
  readonly text: string;
  /** The author of the summary and other metadata of its node. */
  readonly meta?: NodeMeta | undefined;
  readonly details?: Marker['details'] | undefined;
}

/** The nodes to summarise: the path from below `above` down to `leaf`. */
export interface BranchSummaryRequest {
  readonly store: Store;
  readonly treeId: TreeId;
  /** The last node that is not included; null to start with the first message. */
  readonly above: NodeId | null;
  /** The last node of the branch to summarise. */
  readonly leaf: NodeId;
  readonly focus?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Summarises a branch; null if it has no messages. */
export type SummarizeBranch = (request: BranchSummaryRequest) => Promise<BranchSummary | null>;

/** The branch to compact, and the focus of its summary. */
export interface CompactBranchRequest {
  readonly store: Store;
  readonly treeId: TreeId;
  /** The last node of the branch. */
  readonly nodeId: NodeId;
  readonly focus?: string | undefined;
  readonly actor: string;
  readonly actId: ActId;
  readonly signal?: AbortSignal | undefined;
}

/** The summary node of a compaction, and the estimated tokens of the context before and after. */
export interface CompactedBranch {
  /** The node that holds the summary. */
  readonly nodeId: NodeId;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** How many messages the summary replaces. */
  readonly summarised: number;
}

/**
 * Replaces older messages of a branch by a summary. Throws `context/nothing-to-compact` if the context is too short.
 */
export type CompactBranch = (request: CompactBranchRequest) => Promise<CompactedBranch>;

/** The part of a chat to copy to a new chat. */
export interface ChatCopyRequest {
  readonly store: Store;
  readonly treeId: TreeId;
  /** The last node of the copied path; the root copies only the tree's own attributes. */
  readonly nodeId: NodeId;
  /** Copy all branches, not only the path. */
  readonly whole: boolean;
  readonly running: RunContext;
}

/** The tree and the position where the user continues after a copy. */
export interface CopiedChat extends CommandPosition {
  /** The path of the copy's session file; null if it is a tree of the same store. */
  readonly file: string | null;
}

/** Copies chats: as trees of the same store, or as session files. */
export interface ChatCopier {
  copy(request: ChatCopyRequest): Promise<CopiedChat>;
  /** Writes the path to a node, and unless `pathOnly` its subtree, to a session file; returns the file's path. */
  readonly exportBranch?:
    | ((request: {
        readonly store: Store;
        readonly treeId: TreeId;
        readonly nodeId: NodeId;
        readonly pathOnly: boolean;
        readonly to: string | undefined;
      }) => Promise<string>)
    | undefined;
}

/** The services that commands use; each is optional. */
export interface CommandServices {
  /** If it is missing, no model can be set and no context window is known. */
  readonly models?: Pick<ModelProviders, 'model' | 'list' | 'defaultModel'> | undefined;
  /**
   * The engine's compactor for the store that commands run on; without one, summaries are extracted from the messages
   * without a model.
   */
  readonly compactor?: Compactor | undefined;
  /** Overrides for the compactor's summaries and compactions. */
  readonly summarize?: SummarizeBranch | undefined;
  readonly compact?: CompactBranch | undefined;
  readonly events?: EventBus | undefined;
  /** By default, copies are trees of the same store and `/export-branch` is not available. */
  readonly copies?: ChatCopier | undefined;
  /** Stops the running turns of an act and resolves when they have ended, so that the act can be undone. */
  readonly abort?: ((which: { readonly actId: ActId }) => Promise<unknown>) | undefined;
  readonly now?: (() => number) | undefined;
  readonly newId?: (() => string) | undefined;
  readonly kit?: MessageKit | undefined;
}

/** What a running command gets: the caller, the services, and the position of the view. */
export interface CommandScope {
  readonly store: Store;
  readonly treeId: TreeId;
  readonly actor: string;
  readonly list: readonly NodeId[];
  readonly signal: AbortSignal | undefined;
  readonly models: CommandServices['models'];
  readonly events: EventBus;
  readonly abort: NonNullable<CommandServices['abort']>;
  readonly kit: MessageKit;
  readonly now: () => number;
  readonly summarize: SummarizeBranch;
  readonly compact: CompactBranch;
  readonly copies: ChatCopier;
  readonly newAct: () => ActId;
  /** Builds the context for core's `run`; without an argument the command starts a new act. */
  readonly running: (actId?: ActId) => RunContext;
  /** All commands, in the order of `/help`. */
  readonly commands: readonly CommandDefinition[];
  /** The position of the view before this command. */
  readonly activeNodeId: NodeId | null;
  readonly rootId: NodeId;
}

/** What a command did: sentences for the user, data for programs, and the new position of the view. */
export interface CommandResult<Data = unknown> {
  /** One or two sentences about what was done, in English. */
  readonly said: string;
  /** The same sentences as codes with data, for interfaces in other languages; absent if a command has none. */
  readonly did?: readonly Phrase[] | undefined;
  /** The command line that undoes the command; absent if nothing changed. */
  readonly undo?: string | undefined;
  /** The result as data, for programs. */
  readonly data: Data;
  /** The new position of the view, if it changed. */
  readonly place?: CommandPosition | undefined;
  /** A text that the user may edit and send again. */
  readonly selectedText?: string | undefined;
  /** `data` as plain text, if it needs more than a sentence. */
  readonly text?: string | undefined;
  /** The lines of `text` with codes, for interfaces in other languages. */
  readonly lines?: readonly PhraseLine[] | undefined;
  /** The listed nodes: pass them on as {@link CommandContext.list}, so that they can be referenced by number. */
  readonly list?: readonly NodeId[] | undefined;
}

/** The kind of value that an argument takes. */
export type CommandParameterKind =
  /** A node: its id, a unique part of the id, a label, its number in the last list, `@here` or `@start`. */
  | 'node'
  | 'text'
  /** A model as `provider/model`. */
  | 'model'
  | 'choice'
  /** A tree, named by its id. */
  | 'tree'
  /** The name of a command. */
  | 'command'
  /** A whole number above zero. */
  | 'count'
  | 'flag';

/** The description of one argument of a command. */
export interface CommandParameter {
  readonly kind: CommandParameterKind;
  readonly about: string;
  /** Whether the argument is positional (`place`) or named, as in `--name value`. */
  readonly by: 'place' | 'name';
  readonly required: boolean;
  /** Whether the option may be given without a value; the value is then the empty string. */
  readonly bare: boolean;
  readonly choices: readonly string[];
}

/** The parameters of a command by name. Positional ones are read in this order; a text takes the rest of the line. */
export type CommandParameters = Readonly<Record<string, CommandParameter>>;

/** Raw arguments: the words of a line, or an object. */
export type RawArguments =
  | { readonly words: readonly CommandWord[] }
  | { readonly args: Readonly<Record<string, unknown>> };

export interface CommandWord {
  readonly text: string;
  /** The offset of the word in the line. */
  readonly at: number;
  /** Whether the word was quoted; a quoted word is never an option. */
  readonly quoted: boolean;
}

export interface CommandDefinition {
  /** The name of the command, without the slash. */
  readonly name: string;
  readonly summary: string;
  /** One line of help, for example `/switch <message> [--exact]`. */
  readonly usage: string;
  readonly parameters: CommandParameters;
  /** The arguments as JSON Schema, for servers, pages and models. */
  readonly schema: JsonObject;
  readonly examples: readonly CommandExample[];
  /** Questions of newcomers that the command answers. */
  readonly questions: readonly string[];
  /** Validates the arguments and runs the command. Rejects with an AppError, in which case nothing changed. */
  run(scope: CommandScope, given: RawArguments): Promise<CommandResult>;
}

/** A command line and what it is for. */
export interface CommandExample {
  readonly line: string;
  readonly about: string;
}

/** How much of a model's context window is in use. */
export interface ContextUsage {
  readonly model: string | null;
  readonly window: number | null;
  readonly estimate: TokenEstimate;
  /** The used fraction of the window; above 1 the context does not fit. Null if the window is unknown. */
  readonly used: number | null;
}
