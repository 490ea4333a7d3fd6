/**
 * What a tool is and what comes of calling one. Everything above this file speaks of tools in these words only, whether
 * they are built in, added by a program, or another process's.
 */
import type { ErrorKind, Json, JsonObject, Message, NodeId, TreeId, TreeStore } from '@coppice/core';
import type { ToolContent } from './content.ts';

/** Where in whose conversation a tool is called: what `introspect` looks at. */
export interface ToolPlace {
  /** As the user sees it: a tool reads nobody else's trees. */
  readonly store: TreeStore;
  readonly treeId: TreeId;
  /** The node that the call stands in, or follows. */
  readonly nodeId: NodeId;
}

/** What a tool is given beside its arguments. */
export interface ToolScope {
  /** Fires on abort and at the time limit. What goes on after it is not waited for. */
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly place?: ToolPlace | undefined;
}

/** Whose a tool is, where it is not the engine's own: kept with every result, and shown to whoever approves. */
export interface ToolOrigin {
  readonly type: 'mcp';
  readonly server: string;
  /** What the server itself calls it. */
  readonly tool: string;
}

/** A tool, complete. */
export interface Tool {
  /** What models call it by: letters, digits, `_` and `-`, at most 64. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, of an object. */
  readonly parameters: JsonObject;
  /** Whether it changes anything outside the conversation: then each call is approved first. */
  readonly sideEffects: boolean;
  /** Milliseconds; the registry's limit if not given. */
  readonly timeoutMs?: number | undefined;
  readonly origin?: ToolOrigin | undefined;
  /** Gives the result: text, JSON or blocks. Whatever it throws becomes the answer that the model sees. */
  run(parameters: JsonObject, scope: ToolScope): Promise<Json | ToolContent> | Json | ToolContent;
}

/** A model's request to run a tool: a `tool-use` block, whatever else it says. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly parameters: JsonObject;
  /** What is wrong with the arguments as the model wrote them, as a sentence; such a call is answered and not run. */
  readonly malformed?: string | undefined;
}

/** What a person, or a rule, is asked to allow. */
export interface ApprovalRequest {
  readonly callId: string;
  readonly name: string;
  readonly description: string;
  readonly origin?: ToolOrigin | undefined;
  readonly parameters: JsonObject;
  /** Stands for the tool and exactly these arguments; an approval repeats it. */
  readonly hash: string;
  readonly signal: AbortSignal;
}

/** What was decided. An approval with another hash is for another call, and counts as none. */
export type ApprovalDecision =
  | { readonly approved: true; readonly hash: string }
  | { readonly approved: false; readonly reason?: string | undefined };

/** Decides about one call of a tool with side effects. */
export type Approve = (request: ApprovalRequest) => Promise<ApprovalDecision> | ApprovalDecision;

/** How one call is made, beside what is called. */
export interface ToolCallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly place?: ToolPlace | undefined;
  /** Without it, tools with side effects are not run. */
  readonly approve?: Approve | undefined;
  /** The tools that may be called; all of them if not given. */
  readonly active?: readonly string[] | undefined;
  /** Called when the tool begins to run; not where the call is answered with an error before. */
  readonly onStart?: (() => void) | undefined;
}

/** Every code that a call can fail with, and its kind. */
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

/** A code that a call fails with. */
export type ToolErrorCode = keyof typeof toolErrorKinds;

/** What came of a call: always a message, for the conversation goes on whatever happened. */
export interface ToolResult {
  readonly callId: string;
  readonly name: string;
  readonly origin?: ToolOrigin | undefined;
  /** The tool message that answers the call. */
  readonly message: Message;
  /** The code if the call failed; the message says what went wrong. */
  readonly error: ToolErrorCode | null;
  /** Whether the result was longer than the limit; then its end says so. */
  readonly truncated: boolean;
  readonly elapsedMs: number;
}
