/** What the MCP tools share: their parameters, and how they answer. */
import { isAppError, type Node, type NodeId, parseNodeId, parseTreeId, type TreeId, unwrapResult } from '@coppice/core';
import { z } from 'zod';
import { storedImagesOf } from './stored-images.ts';

export const tree = z.string().describe('The id of a tree.');
export const node = z.string().describe('The id of a node of the tree.');
export const limit = z.number().int().min(1).max(100).optional().describe('The number of results; 20 by default.');
export const cursor = z
  .string()
  .max(2_000)
  .optional()
  .describe('The cursor of an earlier result, to read the next page.');

const longestText = 8_000;
// A model reads the results, so their size is limited. The result counts the remaining nodes, which the model can
// request with a start node.
export const maxNodes = 500;

interface ToolReply {
  readonly content: { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent?: { readonly [key: string]: unknown };
  readonly isError?: boolean;
  readonly [key: string]: unknown;
}

/**
 * Returns the result as structured data that matches its schema, and as text for clients without support for structured
 * data.
 */
function toolReply(value: object): ToolReply {
  const text = JSON.stringify(value);
  return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) };
}

/** Runs a tool and returns its result, or its error as a tool error that a model can read. */
export async function answerWith(act: () => Promise<object>): Promise<ToolReply> {
  try {
    return toolReply(await act());
  } catch (thrown) {
    const text = isAppError(thrown) ? `${thrown.code}: ${thrown.message}` : 'internal: an unexpected error occurred.';
    return { content: [{ type: 'text', text }], isError: true };
  }
}

/** Returns a message as a tool gives it: its text cut, and its pictures as resources. */
export function mcpMessage(one: Node, of: TreeId) {
  const { id, parentId, role, kind, status, createdAt, text } = one;
  const cut = text.length > longestText;
  const pictures = storedImagesOf(one).map((_, index) => `coppice://trees/${of}/nodes/${id}/pictures/${index}`);
  return {
    ...{ id, parentId, role, kind, status, createdAt, text: cut ? text.slice(0, longestText) : text, cut },
    ...(pictures.length === 0 ? {} : { pictures }),
  };
}

/** Returns the text as a tree id. Throws if it is not one. */
export function mcpTree(text: string): TreeId {
  return unwrapResult(parseTreeId(text));
}

/** Returns the text as a node id. Throws if it is not one. */
export function mcpNode(text: string): NodeId {
  return unwrapResult(parseNodeId(text));
}
