/** What a turn of conversation is asked for, what it tells while it runs, and what comes of it. */
import type { ActId, JsonObject, Message, NodeId, NodeMeta, NodeStatus, TreeId } from '@coppice/core';
import type { Cost } from '../catalogue/index.ts';
import type { CompactReason } from '../events.ts';
import type { FinishReason, ProviderUsage, ThinkingOptions, ToolChoice } from '../providers/contract.ts';
import type { Model } from '../providers/index.ts';
import type { SummaryAllowance } from '../summaries/contract.ts';
import type { ApprovalDecision, ApprovalRequest } from '../tools/contract.ts';
import type { ReplyError } from './errors.ts';
import type { TurnNotice } from './notices.ts';

/** How replies are to be made. */
export interface GenerateOptions {
  /** As `provider/model`; each gives `n` replies, all in one group. */
  readonly models: readonly string[];
  /** One if not given. */
  readonly n?: number | undefined;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly stop?: readonly string[] | undefined;
  /** With several replies each gets its own, counted up from this. */
  readonly seed?: number | undefined;
  readonly thinking?: ThinkingOptions | undefined;
  /** The longest reply wanted, in tokens; what the model gives and the window leaves if not given. */
  readonly maxTokens?: number | undefined;
  /** Names of the tools that may be called; only with a single reply. */
  readonly tools?: readonly string[] | undefined;
  /** For the first call; a tool loop goes on as the model likes. */
  readonly toolChoice?: ToolChoice | undefined;
  /** Asked in place of a model that could not be reached or would not answer, before anything was said. */
  readonly fallbackModel?: string | undefined;
  /** The same request again, at the same place, is the same turn: nothing is generated twice. */
  readonly requestId?: string | undefined;
  /**
   * The version of the tree that the caller has seen: where it has moved on since, the turn is refused before its first
   * commit, unless it is kept beside what came in between. A request that was made before is found all the same.
   */
  readonly expectedVersion?: number | undefined;
  readonly onConflict?: 'branch' | undefined;
  /** All commits of the turn belong to this act; a fresh one if not given. */
  readonly actId?: string | undefined;
  /** Who acts; the engine's own actor if not given. */
  readonly actor?: string | undefined;
  /** Whether new nodes become active; true if not given. */
  readonly select?: boolean | undefined;
  /** Stops the turn; what was said is kept as `aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** Decides about calls of tools with side effects; without it they do not run. */
  readonly approve?: TurnApprove | undefined;
}

/** Decides about a call of a tool, or says `ask`: then the turn emits `approval` and waits for {@link Turn.decide}. */
export type TurnApprove = (request: ApprovalRequest) => Promise<ApprovalDecision | 'ask'> | ApprovalDecision | 'ask';

/** A message to say before the replies. */
export interface SaidMessage {
  readonly message: Message;
  readonly id?: string;
  readonly meta?: NodeMeta;
}

/** Where a turn begins. */
export type TurnStart =
  /** Says something below a node (the active one if not given), then has it answered. */
  | {
      readonly type: 'send';
      readonly treeId: TreeId;
      readonly parentId?: NodeId | undefined;
      readonly messages: readonly SaidMessage[];
      /** False adds every message anew, also beside an equal one. */
      readonly merge?: boolean | undefined;
    }
  /** Has a node answered. */
  | { readonly type: 'reply'; readonly treeId: TreeId; readonly parentId: NodeId }
  /** Has the prompt above a node answered again. */
  | { readonly type: 'regenerate'; readonly treeId: TreeId; readonly nodeId: NodeId }
  /** Goes on with a reply that was cut short, in the same node. */
  | { readonly type: 'continue'; readonly treeId: TreeId; readonly nodeId: NodeId };

/** A reply was inserted or ended, or results of tools were stored. */
export interface NodeEvent {
  readonly type: 'node';
  readonly nodeId: NodeId;
  readonly parentId: NodeId;
  readonly role: 'user' | 'assistant' | 'tool' | 'system';
  readonly status: NodeStatus;
  /** The run that writes it, while it is pending. */
  readonly runId?: string;
  /** Set where the reply did not come to its end. */
  readonly error?: ReplyError;
}

/** What a turn tells. The last event is exactly one `end` or `error`; nothing is ever thrown. */
export type TurnEvent =
  | NodeEvent
  /** `offset` counts UTF-16 code units of the reply's text before this. */
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
  /** A call waits for a person; {@link Turn.decide} answers it. */
  | {
      readonly type: 'approval';
      readonly nodeId: NodeId;
      readonly callId: string;
      readonly name: string;
      readonly description: string;
      readonly parameters: JsonObject;
      readonly hash: string;
    }
  /** It was decided, or the turn ended before. */
  | { readonly type: 'approval-end'; readonly nodeId: NodeId; readonly callId: string; readonly approved: boolean }
  /** The tool runs: its arguments are in order, and it was approved where that was needed. */
  | { readonly type: 'tool-start'; readonly nodeId: NodeId; readonly callId: string; readonly name: string }
  | {
      readonly type: 'tool-result';
      /** The reply that called. */
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
  /** Something was sent otherwise than asked for; once a turn. `message` is the English sentence for it. */
  | ({ readonly type: 'notice'; readonly nodeId: NodeId; readonly message: string } & TurnNotice)
  | { readonly type: 'end'; readonly nodeIds: readonly NodeId[] }
  | ({ readonly type: 'error'; readonly nodeIds: readonly NodeId[] } & ReplyError);

/** The last event of a turn. */
export type TurnEnd = Extract<TurnEvent, { type: 'end' | 'error' }>;

/** One reply when it is through. */
export interface WrittenReply {
  readonly nodeId: NodeId;
  readonly parentId: NodeId;
  readonly status: NodeStatus;
  /** Null if nothing was said. */
  readonly message: Message | null;
  readonly finishReason: FinishReason | null;
  readonly error: ReplyError | null;
  /** About how many tokens are in force with it; null where that is not known. */
  readonly tokens: number | null;
}

/** The replies of one call, or of several beside each other, and what follows if they called tools. */
export interface Round {
  readonly replies: readonly WrittenReply[];
  /** The round after the tools' results. Rejects where the turn ends in an error instead. */
  readonly next?: Promise<Round>;
}

/** A turn on its way. It goes on whether anybody reads it or not. */
export interface Turn {
  readonly actId: ActId;
  readonly treeId: TreeId;
  /** The first replies. Rejects if the turn was refused before there were any. */
  readonly first: Promise<Round>;
  /** The last event; never rejects. */
  readonly done: Promise<TurnEnd>;
  /** Everything that the turn tells, from the event with this index on, for any number of readers. */
  events(from?: number): AsyncIterable<TurnEvent>;
  /** Answers an `approval` event and gives what was asked. Refuses a call that does not wait for one. */
  decide(callId: string, approved: boolean): ApprovalRequest;
  /** Stops it; again is harmless. */
  abort(): void;
}

/** Makes room: puts a compaction below a node and gives the node to go on from, or null where it cannot. */
export type Compact = (request: {
  readonly treeId: TreeId;
  readonly nodeId: NodeId;
  /** For whose window: with several models, the one with the smallest. */
  readonly model: Model;
  readonly reason: Exclude<CompactReason, 'manual'>;
  readonly actId: ActId;
  readonly actor: string;
  /** Whether the pointer goes along, if it is there. */
  readonly select: boolean;
  /** What a hook wants the summary to go into, or to say. */
  readonly focus?: string | undefined;
  readonly summary?: string | undefined;
  /** The turn's own: what the summary uses counts for the turn's budget. */
  readonly allowance: SummaryAllowance;
  readonly signal: AbortSignal;
}) => Promise<NodeId | null>;
