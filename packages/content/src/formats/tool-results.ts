// The result of a tool call, as a message and the metadata of its node.
import type { Json, JsonObject, NodeMeta } from '@coppice/core';

/** The message with a tool's result, and the metadata of its node. */
export interface ToolResultMessage {
  readonly message: JsonObject;
  readonly meta: NodeMeta;
}

/** Builds the metadata of a tool result. */
export function buildToolResultMeta(name: string, isError: boolean): NodeMeta {
  const source = { type: 'tool_result', tool_name: name };
  return isError ? { source, isError: true } : { source };
}

/** Builds the message with the result of a call, and the metadata of its node. */
export function buildToolResultMessage(
  callId: string,
  name: string,
  content: readonly Json[],
  isError: boolean,
): ToolResultMessage {
  return { message: { role: 'tool', tool_call_id: callId, content }, meta: buildToolResultMeta(name, isError) };
}

/** Whether a tool result is a failure, as marked by an import or by Coppice's own tools. */
export function isFailedToolResult(meta: NodeMeta): boolean {
  return meta.isError === true || (meta.source?.type === 'tool_result' && typeof meta.source.error === 'string');
}
