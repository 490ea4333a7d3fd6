/** The types of tools and their results: built-in tools, tools that a program adds, and MCP tools. */
import type { ErrorKind, Json, JsonObject, Message, NodeId, TreeId, TreeStore } from '@coppice/core';
import type { ToolResultContent } from './content.ts';

/** Where in a tree a tool was called; `introspect` reads it. */
export interface ToolCallPosition {
  /** The user's store: a tool cannot read other owners' trees. */
  readonly store: TreeStore;
  readonly treeId: TreeId;
  /** The node that contains the call, or the one before it. */
  readonly nodeId: NodeId;
}

/** The arguments of `run` besides the parameters: signal, clock and position of the call. */
export interface ToolScope {
  /** Aborted when the call is aborted and at the time limit. Results after that are ignored. */
  readonly signal: AbortSignal;
  /** Returns the time in milliseconds since 1970. */
  readonly now: () => number;
  readonly place?: ToolCallPosition | undefined;
}

/** The MCP server that a tool comes from; stored with every result, and shown when approval is requested. */
export interface ToolOrigin {
  readonly type: 'mcp';
  readonly server: string;
  /** The tool's name at its server. */
  readonly tool: string;
}

export interface Tool {
  /** The name that models use: letters, digits, `_` and `-`, at most 64. */
  readonly name: string;
  readonly description: string;
  /** The arguments as JSON Schema of an object. */
  readonly parameters: JsonObject;
  /** Whether the tool changes anything outside the conversation; then each call needs approval. */
  readonly sideEffects: boolean;
  /** The time limit in milliseconds; by default that of the registry. */
  readonly timeoutMs?: number | undefined;
  readonly origin?: ToolOrigin | undefined;
  /** Returns the result: text, JSON or blocks. The message of a thrown error is sent to the model as the result. */
  run(parameters: JsonObject, scope: ToolScope): Promise<Json | ToolResultContent> | Json | ToolResultContent;
}

/** A model's request to run a tool: a `tool-use` block. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly parameters: JsonObject;
  /** What is wrong with the arguments, as a sentence; such a call does not run, and its result is this error. */
  readonly malformed?: string | undefined;
}

/** A tool call that a user or a rule must approve. */
export interface ApprovalRequest {
  readonly callId: string;
  readonly name: string;
  readonly description: string;
  readonly origin?: ToolOrigin | undefined;
  readonly parameters: JsonObject;
  /** The hash of the tool and exactly these arguments; an approval must contain it. */
  readonly hash: string;
  readonly signal: AbortSignal;
}

/** An approval or a refusal. An approval with another hash belongs to another call and is ignored. */
export type ApprovalDecision =
  | { readonly approved: true; readonly hash: string }
  | { readonly approved: false; readonly reason?: string | undefined };

/** Decides about one call of a tool with side effects. */
export type Approve = (request: ApprovalRequest) => Promise<ApprovalDecision> | ApprovalDecision;

/** How a call is approved and aborted, and which tools may run. */
export interface ToolCallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly place?: ToolCallPosition | undefined;
  /** If undefined, tools with side effects do not run. */
  readonly approve?: Approve | undefined;
  /** The tools that may be called; by default all. */
  readonly active?: readonly string[] | undefined;
  /** Called when the tool starts to run; not if the call fails before. */
  readonly onStart?: (() => void) | undefined;
}

/** The error codes of tool calls and their kinds. */
export const toolErrorKinds = {
  'tool/unknown': 'not-found',
  'tool/bad-arguments': 'invalid',
  'tool/bad-schema': 'invalid',
  'tool/bad-name': 'invalid',
  'tool/exists': 'conflict',
  'tool/not-approved': 'refused',
  'tool/timeout': 'unavailable',
  'tool/aborted': 'aborted',
  'tool/failed': 'unavailable',
  'tool/unavailable': 'unavailable',
  'tool/changed': 'refused',
  'tool/cut-off': 'refused',
} as const satisfies Record<string, ErrorKind>;

export type ToolErrorCode = keyof typeof toolErrorKinds;

/** The result of a call. It always contains a message, so that the conversation can continue. */
export interface ToolResult {
  readonly callId: string;
  readonly name: string;
  readonly origin?: ToolOrigin | undefined;
  /** The tool message with the result. */
  readonly message: Message;
  /** Null if the call succeeded; the message contains the reason. */
  readonly error: ToolErrorCode | null;
  /** Whether the result was cut at the size limit; a note in the result says so. */
  readonly truncated: boolean;
  readonly elapsedMs: number;
}
