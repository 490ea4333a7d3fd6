/** The MCP tools that read: conversations, messages and branches. */
import { findSubAgents } from '@coppice/content';
import { readPage, readPath, readTopology, readTree, type Store } from '@coppice/core';
import { diffBranches, diffMessages } from '@coppice/core/diff';
import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import * as answers from './answers.ts';
import {
  cursorParameter,
  limitParameter,
  maxResultNodes,
  nodeParameter,
  parseMcpNodeId,
  parseMcpTreeId,
  runMcpTool,
  toMcpMessage,
  treeParameter,
} from './tool-values.ts';

const reads = { readOnlyHint: true, openWorldHint: false } as const;

function addListTool(server: McpServer, store: Store): void {
  server.registerTool(
    'list',
    {
      description: 'Lists conversations, last changed first.',
      inputSchema: z.strictObject({
        title: z.string().optional(),
        project: z.string().optional(),
        limit: limitParameter,
        cursor: cursorParameter,
      }),
      outputSchema: answers.treeListSchema,
      annotations: reads,
    },
    ({ title, project, limit: most = 20, cursor: from }) =>
      runMcpTool(async () => {
        const page = await store.trees({
          limit: most,
          ...(title === undefined ? {} : { title }),
          ...(project === undefined ? {} : { project }),
          ...(from === undefined ? {} : { cursor: from }),
        });
        const agents = await findSubAgents(
          store,
          page.items.map(({ id }) => id),
        );
        const items = page.items.map(({ id, version, updatedAt, activeNodeId, attributes }) => {
          const spawnedBy = attributes.metadata?.spawnedBy ?? null;
          const title = attributes.title ?? attributes.autoTitle ?? null;
          const subAgents = (agents.get(id) ?? []).map(({ treeId, title: name, call }) => ({
            id: treeId,
            title: name,
            call,
          }));
          return { id, version, updatedAt, activeNodeId, title, spawnedBy, subAgents };
        });
        return { items, cursor: page.cursor };
      }),
  );
}

function addSearchTool(server: McpServer, store: Store): void {
  server.registerTool(
    'search',
    {
      description: 'Searches the messages of all branches of all conversations for all words.',
      inputSchema: z.strictObject({
        text: z.string().min(1).max(1_000),
        tree: treeParameter.optional(),
        limit: limitParameter,
        cursor: cursorParameter,
      }),
      outputSchema: answers.searchAnswerSchema,
      annotations: reads,
    },
    ({ text, tree: of, limit: most = 20, cursor: from }) =>
      runMcpTool(() =>
        store.search({
          text,
          limit: most,
          ...(of === undefined ? {} : { treeId: parseMcpTreeId(of) }),
          ...(from === undefined ? {} : { cursor: from }),
        }),
      ),
  );
}

function addReadThreadTool(server: McpServer, store: Store): void {
  server.registerTool(
    'read-thread',
    {
      description: 'Reads the messages of a branch up to the active node or another node, newest last.',
      inputSchema: z.strictObject({
        tree: treeParameter,
        node: nodeParameter.optional(),
        limit: limitParameter,
        before: nodeParameter.optional(),
      }),
      outputSchema: answers.threadSchema,
      annotations: reads,
    },
    ({ tree: of, node: at, limit: most = 20, before }) =>
      runMcpTool(async () => {
        const id = parseMcpTreeId(of);
        const page = await store.read(id, () =>
          readPage(id, {
            limit: most,
            ...(at === undefined ? {} : { nodeId: parseMcpNodeId(at) }),
            ...(before === undefined ? {} : { before: parseMcpNodeId(before) }),
          }),
        );
        const { rootId, activeNodeId, version } = page;
        return {
          rootId,
          activeNodeId,
          version,
          before: page.before,
          messages: page.nodes.map((one) => toMcpMessage(one, id)),
        };
      }),
  );
}

function addReadTreeTool(server: McpServer, store: Store): void {
  server.registerTool(
    'read-tree',
    {
      description: 'Reads the structure of a conversation: its branches without the texts.',
      inputSchema: z.strictObject({
        tree: treeParameter,
        from: nodeParameter.optional(),
        depth: z.number().int().min(0).max(1_000).optional(),
      }),
      outputSchema: answers.treeShapeSchema,
      annotations: reads,
    },
    ({ tree: of, from, depth = 50 }) =>
      runMcpTool(async () => {
        const id = parseMcpTreeId(of);
        const [row, nodes] = await store.read(id, function* () {
          const start = from === undefined ? {} : { from: parseMcpNodeId(from) };
          return [yield* readTree(id), yield* readTopology(id, { ...start, depth })] as const;
        });
        const { rootId, activeNodeId, version } = row;
        const left = Math.max(0, nodes.length - maxResultNodes);
        return { rootId, activeNodeId, version, left, nodes: nodes.slice(0, maxResultNodes) };
      }),
  );
}

function addCompareTool(server: McpServer, store: Store): void {
  server.registerTool(
    'compare',
    {
      description: 'Compares two branches: the common messages, and those of each branch.',
      inputSchema: z.strictObject({ tree: treeParameter, a: nodeParameter, b: nodeParameter }),
      outputSchema: answers.comparisonSchema,
      annotations: reads,
    },
    ({ tree: of, a, b }) =>
      runMcpTool(async () => {
        const id = parseMcpTreeId(of);
        const [left, right] = await store.read(id, function* () {
          return [yield* readPath({ to: parseMcpNodeId(a) }), yield* readPath({ to: parseMcpNodeId(b) })] as const;
        });
        const found = diffBranches(left, right);
        const [first, second] = [found.left[0]?.message, found.right[0]?.message];
        return {
          common: found.common,
          shared: found.shared,
          left: found.left.slice(0, 50).map((one) => toMcpMessage(one, id)),
          right: found.right.slice(0, 50).map((one) => toMcpMessage(one, id)),
          words: first == null || second == null ? null : diffMessages(first, second).text,
        };
      }),
  );
}

/** Adds the tools that change nothing. */
export function addReadTools(server: McpServer, store: Store): void {
  addListTool(server, store);
  addSearchTool(server, store);
  addReadThreadTool(server, store);
  addReadTreeTool(server, store);
  addCompareTool(server, store);
}
