/** The types of tools and their results, for built-in tools, those added by a program, and MCP tools. */
import type { ErrorKind, Json, JsonObject, Message, NodeId, TreeId, TreeStore } from '@coppice/core';
import type { ToolContent } from './content.ts';

/** The position of a tool call, which `introspect` reads. */
export interface ToolCallPosition {
  /** The user's store: a tool cannot read other owners' trees. */
  readonly store: TreeStore;
  readonly treeId: TreeId;
  /** The node that contains the call, or that it follows. */
  readonly nodeId: NodeId;
}

/** What a tool gets in addition to its arguments. */
export interface ToolScope {
  /** Aborts with the call and at the time limit. What a tool does after that is ignored. */
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly place?: ToolCallPosition | undefined;
}

/** The origin of a tool that is not built in; stored with every result, and shown for approval. */
export interface ToolOrigin {
  readonly type: 'mcp';
  readonly server: string;
  /** The server's own name of the tool. */
  readonly tool: string;
}

export interface Tool {
  /** The name that models use: letters, digits, `_` and `-`, at most 64. */
  readonly name: string;
  readonly description: string;
  /** The arguments as JSON Schema of an object. */
  readonly parameters: JsonObject;
  /** Whether it changes anything outside the conversation; then each call needs approval. */
  readonly sideEffects: boolean;
  /** The time limit in milliseconds; by default that of the registry. */
  readonly timeoutMs?: number | undefined;
  readonly origin?: ToolOrigin | undefined;
  /** Returns the result: text, JSON or blocks. A thrown error becomes the result that the model gets. */
  run(parameters: JsonObject, scope: ToolScope): Promise<Json | ToolContent> | Json | ToolContent;
}

/** A model's request to run a tool: a `tool-use` block. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly parameters: JsonObject;
  /** What is wrong with the arguments, as a sentence; such a call is answered with an error and not run. */
  readonly malformed?: string | undefined;
}

/** A request for approval by a person or a rule. */
export interface ApprovalRequest {
  readonly callId: string;
  readonly name: string;
  readonly description: string;
  readonly origin?: ToolOrigin | undefined;
  readonly parameters: JsonObject;
  /** Identifies the tool and exactly these arguments; an approval repeats it. */
  readonly hash: string;
  readonly signal: AbortSignal;
}

/** The decision. An approval with another hash is for another call and does not count. */
export type ApprovalDecision =
  | { readonly approved: true; readonly hash: string }
  | { readonly approved: false; readonly reason?: string | undefined };

/** Decides about one call of a tool with side effects. */
export type Approve = (request: ApprovalRequest) => Promise<ApprovalDecision> | ApprovalDecision;

/** The options of one call. */
export interface ToolCallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly place?: ToolCallPosition | undefined;
  /** Without it, tools with side effects do not run. */
  readonly approve?: Approve | undefined;
  /** The tools that may be called; by default all. */
  readonly active?: readonly string[] | undefined;
  /** Called when the tool starts to run; not if the call fails before. */
  readonly onStart?: (() => void) | undefined;
}

/** All error codes of a call, and their kinds. */
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

/** The result of a call: always a message, so that the conversation can continue. */
export interface ToolResult {
  readonly callId: string;
  readonly name: string;
  readonly origin?: ToolOrigin | undefined;
  /** The tool message with the result. */
  readonly message: Message;
  /** The code if the call failed; the message says why. */
  readonly error: ToolErrorCode | null;
  /** Whether the result exceeded the limit; then its end says so. */
  readonly truncated: boolean;
  readonly elapsedMs: number;
}
