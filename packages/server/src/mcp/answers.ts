/**
 * The result schemas of the MCP tools, which describe the fields of a result to an agent. Results may have further
 * fields.
 */
import { z } from 'zod';

const id = z.string().describe('The id of a node.');
const version = z.number().describe('The version of the tree after the change.');

const message = z.looseObject({
  id,
  parentId: id.nullable(),
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  kind: z.string().describe('`message`, or another kind of node such as `compaction`.'),
  status: z.string().describe('`success`, or how the reply ended.'),
  createdAt: z.number().describe('Milliseconds since 1970.'),
  text: z.string(),
  cut: z.boolean().describe('Whether the text is longer than shown.'),
  pictures: z.array(z.string()).optional().describe('The resources with the images of the message.'),
});

/** The result of a tool that lists conversations. */
export const treeListSchema = z.looseObject({
  items: z.array(
    z.looseObject({
      id: z.string().describe('The id of a tree.'),
      version: z.number(),
      updatedAt: z.number(),
      activeNodeId: id.nullable(),
      title: z.string().nullable(),
      spawnedBy: z
        .unknown()
        .describe('For a sub-agent: the session, tree and tool call that started it; otherwise null.'),
      subAgents: z
        .array(z.looseObject({ id: z.string(), title: z.string().nullable(), call: z.string().nullable() }))
        .describe('The trees of its sub-agents, with the tool calls that started them.'),
    }),
  ),
  cursor: z.string().nullable().describe('The cursor of the next page; null on the last page.'),
});

/** The messages that a search found. */
export const searchAnswerSchema = z.looseObject({
  items: z.array(
    z.looseObject({
      treeId: z.string(),
      nodeId: id,
      role: z.string(),
      title: z.string().nullable(),
      createdAt: z.number(),
      snippet: z.string().describe('The text around the first word that was found.'),
    }),
  ),
  cursor: z.string().nullable(),
});

/** A page of a branch, for the tool that reads a conversation. */
export const threadSchema = z.looseObject({
  rootId: id,
  activeNodeId: id.nullable(),
  version: z.number(),
  before: id.nullable().describe('Pass it as `before` to read earlier messages; null at the beginning.'),
  messages: z.array(message),
});

/** The branches of a conversation, for the tool that shows its shape. */
export const treeShapeSchema = z.looseObject({
  rootId: id,
  activeNodeId: id.nullable(),
  version: z.number(),
  left: z.number().describe('The number of nodes that were left out.'),
  nodes: z.array(
    z.looseObject({
      id,
      parentId: id,
      kind: z.string(),
      role: z.string().nullable(),
      childCount: z.number(),
      preview: z.string(),
    }),
  ),
});

/** The differences between two branches. */
export const comparisonSchema = z.looseObject({
  common: id.nullable().describe('The last node that both branches have.'),
  shared: z.number().describe('The number of nodes that both branches have.'),
  left: z.array(message),
  right: z.array(message),
  words: z
    .unknown()
    .describe('The first differing messages of both branches, compared word by word; null if one branch has none.'),
});

/** The message that a tool has added. */
export const appendedMessageSchema = z.looseObject({ treeId: z.string(), nodeId: id, version });

/** The node from which the conversation continues. */
export const branchAnswerSchema = z.looseObject({ nodeId: id, version });

/** The bookmark that a tool has set; a null title means that it was removed. */
export const bookmarkAnswerSchema = z.looseObject({ nodeId: id, title: z.string().nullable(), version });

/** The summary of a branch that was merged. */
export const mergeAnswerSchema = z.looseObject({
  nodeId: id,
  summary: z.string().nullable().describe('Null if there was nothing to summarise.'),
});
