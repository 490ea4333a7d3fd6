/**
 * What a command is and what comes of one. Terminal, page, server and library speak of commands in these words only; a
 * command knows none of them.
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
import type { Events } from '../events.ts';
import type { ModelProviders } from '../providers/index.ts';

/** Where a view is: the node it shows the end of, or null before the first message, where what is said next begins anew. */
export interface CommandPosition {
  readonly treeId: TreeId;
  readonly activeNodeId: NodeId | null;
}

/** Who runs a command, and where. */
export interface CommandContext {
  readonly store: Store;
  readonly treeId: TreeId;
  /** Whose acts undo takes back; the store's owner if not given. */
  readonly actor?: string | undefined;
  /** Where this view is; the tree's active node if not given. Null is before the first message. */
  readonly activeNodeId?: NodeId | null | undefined;
  /** The nodes of the list that was shown last, so that they can be named by number. */
  readonly list?: readonly NodeId[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What a branch comes to, in words. */
export interface BranchSummary {
  readonly text: string;
  /** Who wrote it, and what else is noted with it. */
  readonly meta?: NodeMeta | undefined;
  readonly details?: Marker['details'] | undefined;
}

/** What is to be summed up: the way from below a node down to a leaf. */
export interface BranchSummaryRequest {
  readonly store: Store;
  readonly treeId: TreeId;
  /** The last node that is not part of it; null if it begins with a first message. */
  readonly above: NodeId | null;
  /** The leaf that is left or brought back. */
  readonly leaf: NodeId;
  readonly focus?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Sums up a branch; null where nothing was said on it. */
export type Summarize = (request: BranchSummaryRequest) => Promise<BranchSummary | null>;

/** What older messages of which branch are to give way to. */
export interface CompactBranchRequest {
  readonly store: Store;
  readonly treeId: TreeId;
  /** The end of the branch. */
  readonly nodeId: NodeId;
  readonly focus?: string | undefined;
  readonly actor: string;
  readonly actId: ActId;
  readonly signal?: AbortSignal | undefined;
}

/** What came of a compaction. */
export interface CompactedBranch {
  /** The node that holds the summary. */
  readonly nodeId: NodeId;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** How many messages gave way. */
  readonly summarised: number;
}

/** Has older messages of a branch give way to a summary. Refuses `context/nothing-to-compact`. */
export type CompactBranch = (request: CompactBranchRequest) => Promise<CompactedBranch>;

/** Which part of a conversation is to become one of its own. */
export interface CopyRequest {
  readonly store: Store;
  readonly treeId: TreeId;
  /** The end of the way that is copied; the root copies nothing but what belongs to the whole. */
  readonly nodeId: NodeId;
  /** Every branch. */
  readonly whole: boolean;
  readonly running: RunContext;
}

/** Where a copy is. */
export interface CopiedConversation extends CommandPosition {
  /** The file that it is in, where it got one of its own. */
  readonly file: string | null;
}

/** Makes conversations of parts of one: as trees of the same store, or as files of their own. */
export interface Copies {
  copy(request: CopyRequest): Promise<CopiedConversation>;
  /** Writes the way to a node, and what is below it unless only the way is wanted, into a session file; gives its path. */
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

/** What commands work with; every part has a default. */
export interface CommandParts {
  /** Without them no model can be set, and no window is known. */
  readonly models?: Pick<ModelProviders, 'model' | 'list' | 'defaultModel'> | undefined;
  /** The engine's compactor, on the store that commands run on; without one, summaries are extracted from the messages. */
  readonly compactor?: Compactor | undefined;
  /** In place of the compactor's summaries and compactions. */
  readonly summarize?: Summarize | undefined;
  readonly compact?: CompactBranch | undefined;
  readonly events?: Events | undefined;
  /** New trees of the same store if not given, and no files. */
  readonly copies?: Copies | undefined;
  /** Stops the turns of an act and resolves when they are through, before the act is taken back. */
  readonly abort?: ((which: { readonly actId: ActId }) => Promise<unknown>) | undefined;
  readonly now?: (() => number) | undefined;
  readonly newId?: (() => string) | undefined;
  readonly kit?: MessageKit | undefined;
}

/** What a command is run with: who asked, what there is to work with, and where the view is. */
export interface CommandScope {
  readonly store: Store;
  readonly treeId: TreeId;
  readonly actor: string;
  readonly list: readonly NodeId[];
  readonly signal: AbortSignal | undefined;
  readonly models: CommandParts['models'];
  readonly events: Events;
  readonly abort: NonNullable<CommandParts['abort']>;
  readonly kit: MessageKit;
  readonly now: () => number;
  readonly summarize: Summarize;
  readonly compact: CompactBranch;
  readonly copies: Copies;
  readonly newAct: () => ActId;
  /** What core is run with; a fresh act for each call unless one is given. */
  readonly running: (actId?: ActId) => RunContext;
  /** All commands, in the order in which help shows them. */
  readonly commands: readonly CommandDefinition[];
  /** Where the view was before this command. */
  readonly activeNodeId: NodeId | null;
  readonly rootId: NodeId;
}

/** What came of a command. */
export interface CommandResult<Data = unknown> {
  /** What was done, in a sentence or two. */
  readonly said: string;
  /** The line that takes it back; not there where nothing was changed. */
  readonly undo?: string | undefined;
  /** The same for programs. */
  readonly data: Data;
  /** Where the view is now, where that changed. */
  readonly place?: CommandPosition | undefined;
  /** A text that the user may want to change and send again. */
  readonly selectedText?: string | undefined;
  /** `data` as lines of plain text, where a sentence does not hold it. */
  readonly text?: string | undefined;
  /** The nodes that are listed: pass them on as {@link CommandContext.list}, and they can be named by number. */
  readonly list?: readonly NodeId[] | undefined;
}

/** What an argument is taken for. */
export type ParameterKind =
  /** A node: by id, unique part of an id, label, number of the last list, or `@here`, `@start`. */
  | 'node'
  | 'text'
  /** A model as `provider/model`. */
  | 'model'
  | 'choice'
  /** A tree by its id. */
  | 'tree'
  /** The name of a command. */
  | 'command'
  /** A whole number above zero. */
  | 'count'
  | 'flag';

/** One argument of a command. */
export interface Parameter {
  readonly kind: ParameterKind;
  readonly about: string;
  /** Given by its place in the line, or by its name as `--name`. */
  readonly by: 'place' | 'name';
  readonly required: boolean;
  /** An option that may stand without its value, which then is the empty text. */
  readonly bare: boolean;
  readonly choices: readonly string[];
}

/** The arguments of a command by name; those by place come in this order, and a text takes the rest of the line. */
export type CommandParameters = Readonly<Record<string, Parameter>>;

/** Arguments as they arrive: as words of a line, or as an object. */
export type GivenArguments =
  | { readonly words: readonly CommandWord[] }
  | { readonly args: Readonly<Record<string, unknown>> };

/** A word of a line. */
export interface CommandWord {
  readonly text: string;
  /** Where it begins in the line. */
  readonly at: number;
  /** Whether it stood in quotes: then it is never an option. */
  readonly quoted: boolean;
}

/** A command, complete. */
export interface CommandDefinition {
  /** Without the slash. */
  readonly name: string;
  readonly summary: string;
  /** Such as `/switch <node> [--exact]`. */
  readonly usage: string;
  readonly parameters: CommandParameters;
  /** The arguments as JSON Schema, for a server, a page, or a model. */
  readonly schema: JsonObject;
  readonly examples: readonly CommandExample[];
  /** Checks the arguments and runs it. Rejects with an AppError; then nothing was changed. */
  run(scope: CommandScope, given: GivenArguments): Promise<CommandResult>;
}

/** A line, and what it is good for. */
export interface CommandExample {
  readonly line: string;
  readonly about: string;
}

/** What is in use of a model's window. */
export interface TokenGauge {
  readonly model: string | null;
  readonly window: number | null;
  readonly estimate: TokenEstimate;
  /** From 0; above 1 it is too much. Null where the window is not known. */
  readonly used: number | null;
}
