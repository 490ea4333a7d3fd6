/** The parameters of the MCP tools, and functions that build their results. */
import { isAppError, type Node, type NodeId, parseNodeId, parseTreeId, type TreeId, unwrapResult } from '@coppice/core';
import { z } from 'zod';
import { storedImagesOf } from './stored-images.ts';

export const treeParameter = z.string().describe('The id of a tree.');
export const nodeParameter = z.string().describe('The id of a node of the tree.');
export const limitParameter = z
  .number()
  .int()
  .min(1)
  .max(100)
  .optional()
  .describe('The number of results; 20 by default.');
export const cursorParameter = z
  .string()
  .max(2_000)
  .optional()
  .describe('The cursor of an earlier result, to read the next page.');

const longestText = 8_000;
// A model reads the results, so their size is limited. The result counts the remaining nodes, which the model can
// request with a start node.
export const maxResultNodes = 500;

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
export async function runMcpTool(act: () => Promise<object>): Promise<ToolReply> {
  try {
    return toolReply(await act());
  } catch (thrown) {
    const text = isAppError(thrown) ? `${thrown.code}: ${thrown.message}` : 'internal: an unexpected error occurred.';
    return { content: [{ type: 'text', text }], isError: true };
  }
}

/** Converts a node to a message of a tool result: its text is shortened, and its pictures are resources. */
export function toMcpMessage(one: Node, of: TreeId) {
  const { id, parentId, role, kind, status, createdAt, text } = one;
  const cut = text.length > longestText;
  const pictures = storedImagesOf(one).map((_, index) => `coppice://trees/${of}/nodes/${id}/pictures/${index}`);
  return {
    ...{ id, parentId, role, kind, status, createdAt, text: cut ? text.slice(0, longestText) : text, cut },
    ...(pictures.length === 0 ? {} : { pictures }),
  };
}

/** Parses the id of a tree. Throws if the text is not an id. */
export function parseMcpTreeId(text: string): TreeId {
  return unwrapResult(parseTreeId(text));
}

/** Parses the id of a node. Throws if the text is not an id. */
export function parseMcpNodeId(text: string): NodeId {
  return unwrapResult(parseNodeId(text));
}
