/** Options, events and results of a turn. */
import type { ActId, JsonObject, Message, NodeId, NodeMeta, NodeStatus, TreeId } from '@coppice/core';
import type { Cost } from '../catalogue/index.ts';
import type { CompactReason } from '../events.ts';
import type {
  FinishReason,
  ProviderErrorCode,
  ProviderUsage,
  ThinkingOptions,
  ToolChoice,
} from '../providers/contract.ts';
import type { Model } from '../providers/index.ts';
import type { SummaryAllowance } from '../summaries/contract.ts';
import type { ApprovalDecision, ApprovalRequest } from '../tools/contract.ts';
import type { ReplyError } from './errors.ts';
import type { TurnNotice } from './notices.ts';

/** Which models write the replies of a turn, and with which parameters, tools and limits. */
export interface GenerateOptions {
  /** As `provider/model`; each model writes `n` replies, all in one group. */
  readonly models: readonly string[];
  /** The number of replies per model; by default one. */
  readonly n?: number | undefined;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly stop?: readonly string[] | undefined;
  /** With several replies each gets its own seed, counted up from this one. */
  readonly seed?: number | undefined;
  readonly thinking?: ThinkingOptions | undefined;
  /** The longest reply, in tokens; by default what model and window allow. */
  readonly maxTokens?: number | undefined;
  /** Names of the tools that may be called; requires a single reply. */
  readonly tools?: readonly string[] | undefined;
  /** Applies to the first call only; in later rounds the model chooses freely. */
  readonly toolChoice?: ToolChoice | undefined;
  /** The model to use if another one is unreachable or refuses before it has written any text. */
  readonly fallbackModel?: string | undefined;
  /**
   * A request with the same id at the same position is a retry: it returns the first turn and generates nothing again.
   */
  readonly requestId?: string | undefined;
  /**
   * The version of the tree that the caller has read. If the tree has changed since, the turn is refused before its
   * first commit, unless `onConflict` adds it as a branch. A retry is recognised in either case.
   */
  readonly expectedVersion?: number | undefined;
  readonly onConflict?: 'branch' | undefined;
  /** The act that all commits of the turn belong to; by default a new one. */
  readonly actId?: string | undefined;
  /** By default the engine's actor. */
  readonly actor?: string | undefined;
  /** Whether new nodes become active; by default true. */
  readonly select?: boolean | undefined;
  /** Stops the turn; the text so far is kept as `aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** Approves calls of tools with side effects; without it they do not run. */
  readonly approve?: TurnApprove | undefined;
}

/** Decides about a tool call, or returns `ask`: then the turn emits `approval` and waits for {@link Turn.decide}. */
export type TurnApprove = (request: ApprovalRequest) => Promise<ApprovalDecision | 'ask'> | ApprovalDecision | 'ask';

/** A message that the turn appends before it generates replies. */
export interface MessageToAppend {
  readonly message: Message;
  readonly id?: string;
  readonly meta?: NodeMeta;
}

/** The result of combining answers: one answer, a table, or a list of agreements and differences. */
export type CombineMode = 'combine' | 'table' | 'differences';

/** What a turn does before it calls a model, and at which node. */
export type TurnStart =
  /** Appends messages below a node (by default the active one), then generates a reply. */
  | {
      readonly type: 'send';
      readonly treeId: TreeId;
      readonly parentId?: NodeId | undefined;
      readonly messages: readonly MessageToAppend[];
      /** False adds every message as a new node, even next to an equal one. */
      readonly merge?: boolean | undefined;
    }
  /** Generates a reply below `parentId`, without appending a message. */
  | { readonly type: 'reply'; readonly treeId: TreeId; readonly parentId: NodeId }
  /** Generates another reply to the prompt above a node. */
  | { readonly type: 'regenerate'; readonly treeId: TreeId; readonly nodeId: NodeId }
  /** Generates a reply from several replies to the same message, as another variant. */
  | {
      readonly type: 'combine';
      readonly treeId: TreeId;
      /** Between 2 and 8 nodes; the first is called A in the request and in the reply. */
      readonly nodeIds: readonly NodeId[];
      readonly way: CombineMode;
      /** What the user asks the model to do with the answers, in addition to `way`. */
      readonly instructions?: string | undefined;
    }
  /** Continues a reply that was cut off, in the same node. */
  | { readonly type: 'continue'; readonly treeId: TreeId; readonly nodeId: NodeId };

/** A message, a tool result or a compaction was stored, or a reply was inserted or ended. */
export interface NodeEvent {
  readonly type: 'node';
  readonly nodeId: NodeId;
  readonly parentId: NodeId;
  readonly role: 'user' | 'assistant' | 'tool' | 'system';
  readonly status: NodeStatus;
  /** The run that writes the reply while it is pending. */
  readonly runId?: string;
  /** Why the reply was not completed. */
  readonly error?: ReplyError;
}

/** The events of a turn. The last event is `end` or `error`; the stream never throws. */
export type TurnEvent =
  | NodeEvent
  /** `offset` is the length of the reply's text before this delta, in UTF-16 code units. */
  | { readonly type: 'text-delta'; readonly nodeId: NodeId; readonly offset: number; readonly text: string }
  | { readonly type: 'thinking-delta'; readonly nodeId: NodeId; readonly text: string }
  | {
      readonly type: 'tool-use';
      readonly nodeId: NodeId;
      readonly callId: string;
      readonly name: string;
      readonly parameters: JsonObject;
      readonly malformed?: string;
    }
  /** A call waits for approval; see {@link Turn.decide}. */
  | {
      readonly type: 'approval';
      readonly nodeId: NodeId;
      readonly callId: string;
      readonly name: string;
      readonly description: string;
      readonly parameters: JsonObject;
      readonly hash: string;
    }
  /** The approval was decided, or the turn ended before a decision. */
  | { readonly type: 'approval-end'; readonly nodeId: NodeId; readonly callId: string; readonly approved: boolean }
  /** The tool starts: its arguments are valid, and it was approved if necessary. */
  | { readonly type: 'tool-start'; readonly nodeId: NodeId; readonly callId: string; readonly name: string }
  | {
      readonly type: 'tool-result';
      /** The reply that contains the call. */
      readonly nodeId: NodeId;
      readonly callId: string;
      readonly name: string;
      readonly message: Message;
      readonly isError: boolean;
    }
  | {
      readonly type: 'usage';
      readonly nodeId: NodeId;
      readonly usage: Omit<ProviderUsage, 'raw'>;
      readonly cost: Cost | null;
    }
  /** The request that was sent differs from the options. Reported once per turn; `message` is in English. */
  | ({ readonly type: 'notice'; readonly nodeId: NodeId; readonly message: string } & TurnNotice)
  /**
   * The provider failed before it sent any text and is called again after `waitMs`; this is retry `attempt` of
   * `retries`.
   */
  | {
      readonly type: 'retry';
      readonly nodeId: NodeId;
      readonly code: ProviderErrorCode;
      readonly message: string;
      readonly attempt: number;
      readonly retries: number;
      readonly waitMs: number;
    }
  | { readonly type: 'end'; readonly nodeIds: readonly NodeId[] }
  | ({ readonly type: 'error'; readonly nodeIds: readonly NodeId[] } & ReplyError);

export type TurnEnd = Extract<TurnEvent, { type: 'end' | 'error' }>;

/** A reply that has ended, successfully or not. */
export interface WrittenReply {
  readonly nodeId: NodeId;
  readonly parentId: NodeId;
  readonly status: NodeStatus;
  /** Null if the reply is empty. */
  readonly message: Message | null;
  readonly finishReason: FinishReason | null;
  readonly error: ReplyError | null;
  /** The estimated tokens of the context including this reply; null if unknown. */
  readonly tokens: number | null;
}

/** The parallel replies of one round, and the next round if they called tools. */
export interface ReplyRound {
  readonly replies: readonly WrittenReply[];
  /** The round after the tool results. Rejects if the turn ends with an error instead. */
  readonly next?: Promise<ReplyRound>;
}

/** A turn. It continues even if its events are not read. */
export interface Turn {
  readonly actId: ActId;
  readonly treeId: TreeId;
  /** The first round. Rejects if the turn was refused before there were replies. */
  readonly first: Promise<ReplyRound>;
  /** Resolves with the last event of the turn; never rejects. */
  readonly done: Promise<TurnEnd>;
  /** Returns all events from an index on, for any number of readers. */
  events(from?: number): AsyncIterable<TurnEvent>;
  /** Decides an `approval` event and returns the request. Throws if the call is not waiting for one. */
  decide(callId: string, approved: boolean): ApprovalRequest;
  /** Stops the turn; calling it again has no effect. */
  abort(): void;
}

/**
 * Adds a compaction below a node. Returns the node to continue from, or null if nothing was compacted.
 */
export type CompactBelowNode = (request: {
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
  /** The model whose window the context must fit: of several models the one with the smallest window. */
  readonly model: Model;
  readonly reason: Exclude<CompactReason, 'manual'>;
  readonly actId: ActId;
  readonly actor: string;
  /** Whether the compaction becomes the active node if its parent was. */
  readonly select: boolean;
  /** The focus or the text of the summary, if a hook set it. */
  readonly focus?: string | undefined;
  readonly summary?: string | undefined;
  /** The turn's budget; the summary counts towards it. */
  readonly allowance: SummaryAllowance;
  readonly signal: AbortSignal;
}) => Promise<NodeId | null>;
