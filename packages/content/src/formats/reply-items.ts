// Splits a model's turn into several nodes: the text up to the calls, each result, and the content after the results.
import type { Json, JsonObject, NodeStatus } from '@coppice/core';
import type { RecordPiece } from './record-turns.ts';
import { buildToolResultMessage, type ToolResultMessage } from './tool-results.ts';

/** A part of a turn in order: blocks of the model, or the result of a call. */
export type ReplyItem =
  | { readonly type: 'blocks'; readonly blocks: readonly Json[] }
  /** The point at which a summary replaces older messages. */
  | { readonly type: 'compaction'; readonly summary: string; readonly details: JsonObject }
  | {
      readonly type: 'result';
      readonly callId: string;
      readonly name: string;
      readonly content: readonly Json[];
      readonly isError: boolean;
    };

/** Who wrote a turn, and how it ended. */
export interface ReplyAuthor {
  readonly role: string;
  readonly source: JsonObject;
  readonly status?: NodeStatus;
}

/**
 * Returns the pieces of a turn as a chain. The last piece has the turn's id, because later messages are its children.
 * Content after a result starts a new step.
 */
export function splitReplyItems(
  id: string,
  parent: string | null,
  items: readonly ReplyItem[],
  by: ReplyAuthor,
): RecordPiece[] {
  const said: Pick<RecordPiece, 'message' | 'meta' | 'kind' | 'marker'>[] = [];
  let blocks: Json[] = [];
  let results: ToolResultMessage[] = [];
  const close = () => {
    if (blocks.length > 0) said.push({ message: { role: by.role, content: blocks }, meta: { source: by.source } });
    for (const result of results) said.push(result);
    blocks = [];
    results = [];
  };
  for (const item of items) {
    if (item.type === 'blocks') {
      if (results.length > 0) close();
      for (const block of item.blocks) blocks.push(block);
    } else if (item.type === 'compaction') {
      close();
      const message = { role: 'system', content: [{ type: 'text', text: item.summary }] };
      said.push({ message, kind: 'compaction', marker: { details: item.details } });
    } else {
      results.push(buildToolResultMessage(item.callId, item.name, item.content, item.isError));
    }
  }
  close();
  if (said.length === 0) {
    // A reply that was cut short or failed may be empty.
    const message = by.status === undefined ? null : { role: by.role, content: [{ type: 'text', text: '' }] };
    return [{ id, parent, message, meta: { source: by.source }, ...statusField(by) }];
  }
  let above = parent;
  return said.map((one, index) => {
    const last = index === said.length - 1;
    const own = last ? id : `${id}/${index}`;
    const piece = { id: own, parent: above, ...one, ...(last ? statusField(by) : {}) };
    above = own;
    return piece;
  });
}

function statusField({ status }: ReplyAuthor): { readonly status?: NodeStatus } {
  return status === undefined ? {} : { status };
}
