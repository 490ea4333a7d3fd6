// Converts session entries of Claude Code to canonical messages.
import type { JsonObject } from '@coppice/core';
import { parseUsage } from '@coppice/core/context';
import { deriveId } from '../../derive-id.ts';
import type { SessionEntry } from '../../sessions/index.ts';
import { fromAnthropicBlock, fromAnthropicToolResult } from '../anthropic-blocks.ts';
import type { ImportedNode } from '../contract.ts';
import { getFilledText, isJsonObject, listAt, objectAt } from '../fields.ts';
import { buildToolResultMeta } from '../tool-results.ts';

/** The converted message of a line, with its kind and author. */
type LineMessage = Pick<ImportedNode, 'message' | 'kind' | 'status' | 'meta'>;

/** Converts an entry to a canonical message with its kind, status and author. `tools` maps call ids to tool names. */
export function toLineMessage(
  entry: SessionEntry,
  fields: JsonObject,
  tools: ReadonlyMap<string, string>,
): LineMessage {
  const said = isJsonObject(entry.message) ? entry.message : undefined;
  if (entry.type === 'compaction') {
    const summary = typeof entry.summary === 'string' ? entry.summary : '';
    return { kind: 'compaction', message: { role: 'system', content: [{ type: 'text', text: summary }] } };
  }
  if (said === undefined) {
    const text = getFilledText(fields, 'content');
    return {
      kind: 'state',
      message: text === undefined ? null : { role: 'system', content: [{ type: 'text', text }] },
    };
  }
  if (said.role === 'toolResult') return resultOfLine(entry.uuid, said, tools);
  const role = said.role === 'assistant' ? 'assistant' : said.role === 'system' ? 'system' : 'user';
  const content = listAt(said, 'content').map((block, index) => fromAnthropicBlock(block, `${entry.uuid}-${index}`));
  const message = { role, content };
  if (role === 'assistant') {
    const failed = fields.isApiErrorMessage === true;
    return { message, meta: { source: modelOfLine(fields) }, ...(failed ? { status: 'error' } : {}) };
  }
  const excluded = fields.isVisibleInTranscriptOnly === true ? { excluded: true } : {};
  if (fields.isMeta === true) return { kind: 'injected', message, meta: excluded };
  return { message, meta: { source: { type: 'user' }, ...excluded } };
}

function resultOfLine(uuid: string, said: JsonObject, tools: ReadonlyMap<string, string>): LineMessage {
  const block = {
    type: 'tool_result',
    tool_use_id: said.toolCallId ?? '',
    ...('content' in said && said.content !== undefined ? { content: said.content } : {}),
    ...(said.isError === true ? { is_error: true } : {}),
  };
  const { message, callId, isError } = fromAnthropicToolResult(block, `${uuid}-call`);
  return { message, meta: buildToolResultMeta(tools.get(callId) ?? 'unknown', isError) };
}

/** Returns model and usage. All lines of a reply repeat them, and the last line is the most complete. */
function modelOfLine(line: JsonObject): JsonObject {
  const message = objectAt(line, 'message');
  const model = getFilledText(message, 'model');
  const reason = getFilledText(message, 'stop_reason');
  return {
    type: 'model',
    provider: 'anthropic',
    ...(model === undefined ? {} : { model_name: model }),
    ...(reason === undefined ? {} : { finish_reason: reason }),
    // Lines that Claude Code itself wrote have zero usage, which is ignored.
    ...(isJsonObject(message.usage) && parseUsage({ meta: { source: { usage: message.usage } } })?.totalTokens !== 0
      ? { usage: message.usage }
      : {}),
  };
}

/** Returns the id of the boundary line that Coppice writes above the summary of a compaction. */
export function deriveBoundaryId(summary: string): string {
  return deriveId('claude-code-boundary', summary);
}
