/** The MCP tools that write: messages, branches, bookmarks and summaries. */
import { refuse, run, textMessage, treeId } from '@coppice/core';
import { makeTitleFromFirstSentence } from '@coppice/engine';
import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import * as answers from './answers.ts';
import type { TreesMcpServerOptions } from './options.ts';
import { nodeParameter, parseMcpNodeId, parseMcpTreeId, runMcpTool, treeParameter } from './tool-values.ts';

const adds = { readOnlyHint: false, destructiveHint: false, openWorldHint: false } as const;

function addAppendTool(server: McpServer, { store, context }: TreesMcpServerOptions): void {
  server.registerTool(
    'append',
    {
      description:
        'Adds a message below a node, or at the end of the active branch. Without a tree it starts a new conversation.',
      inputSchema: z.strictObject({
        tree: treeParameter.optional(),
        node: nodeParameter.optional(),
        role: z.enum(['user', 'assistant']).optional(),
        text: z.string().min(1).max(1_000_000),
      }),
      outputSchema: answers.appendedMessageSchema,
      annotations: adds,
    },
    ({ tree: of, node: at, role = 'user', text }) =>
      runMcpTool(async () => {
        const given = context();
        // The planner leaves out blank messages, but an agent that adds one must get an error.
        if (text.trim() === '') return refuse('message/blank', 'The text is empty. Give the text of the message.');
        const messages = [{ message: textMessage(role, text) }];
        if (of === undefined) {
          if (at !== undefined)
            return refuse('command/invalid', `Name the chat of the message ${at.slice(0, 100)} as well.`);
          const autoTitle = makeTitleFromFirstSentence(text);
          const attributes = autoTitle === null ? {} : { autoTitle };
          const id = treeId(given.newId());
          const { result, version } = await run(store, { type: 'create', treeId: id, attributes, messages }, given);
          return { treeId: id, nodeId: result.added?.at(-1), version };
        }
        const id = parseMcpTreeId(of);
        const parent = at === undefined ? {} : { parentId: parseMcpNodeId(at) };
        const { result, version } = await run(store, { type: 'append', treeId: id, messages, ...parent }, given);
        return { treeId: id, nodeId: result.nodeId, version };
      }),
  );
}

function addBranchTool(server: McpServer, { store, context }: TreesMcpServerOptions): void {
  server.registerTool(
    'branch',
    {
      description: 'Makes a node active, so that the conversation continues from it.',
      inputSchema: z.strictObject({
        tree: treeParameter,
        node: nodeParameter,
        summary: z.string().max(100_000).optional(),
      }),
      outputSchema: answers.branchAnswerSchema,
      annotations: adds,
    },
    ({ tree: of, node: at, summary }) =>
      runMcpTool(async () => {
        const command = { type: 'branch', treeId: parseMcpTreeId(of), nodeId: parseMcpNodeId(at) } as const;
        const { result, version } = await run(
          store,
          summary === undefined ? command : { ...command, summary },
          context(),
        );
        return { nodeId: result.nodeId, version };
      }),
  );
}

function addBookmarkTool(server: McpServer, { store, context }: TreesMcpServerOptions): void {
  server.registerTool(
    'bookmark',
    {
      description: 'Sets the bookmark of a node; without a title it removes the bookmark.',
      inputSchema: z.strictObject({ tree: treeParameter, node: nodeParameter, title: z.string().max(500).optional() }),
      outputSchema: answers.bookmarkAnswerSchema,
      annotations: { ...adds, idempotentHint: true },
    },
    ({ tree: of, node: at, title = null }) =>
      runMcpTool(async () => {
        const { version } = await run(
          store,
          { type: 'bookmark', treeId: parseMcpTreeId(of), nodeId: parseMcpNodeId(at), title },
          context(),
        );
        return { nodeId: at, title, version };
      }),
  );
}

function addSummariseTool(server: McpServer, compactor: NonNullable<TreesMcpServerOptions['compactor']>): void {
  server.registerTool(
    'summarise',
    {
      description: 'Merges another branch into the active one, as a summary.',
      inputSchema: z.strictObject({
        tree: treeParameter,
        node: nodeParameter,
        focus: z.string().max(4_000).optional(),
      }),
      outputSchema: answers.mergeAnswerSchema,
      annotations: adds,
    },
    ({ tree: of, node: at, focus }) =>
      runMcpTool(() =>
        compactor.merge({
          treeId: parseMcpTreeId(of),
          nodeId: parseMcpNodeId(at),
          ...(focus === undefined ? {} : { focus }),
        }),
      ),
  );
}

/** Adds the tools that change trees. */
export function addWriteTools(server: McpServer, options: TreesMcpServerOptions): void {
  addAppendTool(server, options);
  addBranchTool(server, options);
  addBookmarkTool(server, options);
  if (options.compactor !== undefined) addSummariseTool(server, options.compactor);
}
