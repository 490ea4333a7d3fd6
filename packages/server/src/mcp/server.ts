/** Serves a user's trees over MCP, so that agents can search, read and branch earlier conversations. */
import { findSubAgents } from '@coppice/content';
import {
  ask,
  isAppError,
  type Node,
  type NodeId,
  parseNodeId,
  parseTreeId,
  readPage,
  readPath,
  readTopology,
  readTree,
  refuse,
  run,
  type Store,
  type TreeId,
  textMessage,
  treeId,
  unwrapResult,
} from '@coppice/core';
import { diffBranches, diffMessages } from '@coppice/core/diff';
import { titleFromFirstSentence } from '@coppice/engine';
import { McpServer, ProtocolError, ProtocolErrorCode, ResourceTemplate } from '@modelcontextprotocol/server';
import { z } from 'zod';
import * as answers from './answers.ts';
import type { TreesServerOptions } from './options.ts';
import { readStoredImage, storedImagesOf } from './stored-images.ts';

const tree = z.string().describe('The id of a tree.');
const node = z.string().describe('The id of a node of the tree.');
const limit = z.number().int().min(1).max(100).optional().describe('The number of results; 20 by default.');
const cursor = z.string().max(2_000).optional().describe('The cursor of an earlier result, to read the next page.');
const longestText = 8_000;
// A model reads the results, so their size is limited. The result counts the remaining nodes, which the model can
// request with a start node.
const maxNodes = 500;
const maxMessages = 100;
const maxResources = 100;

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
async function answerWith(act: () => Promise<object>): Promise<ToolReply> {
  try {
    return toolReply(await act());
  } catch (thrown) {
    const text = isAppError(thrown) ? `${thrown.code}: ${thrown.message}` : 'internal: an unexpected error occurred.';
    return { content: [{ type: 'text', text }], isError: true };
  }
}

function mcpMessage(one: Node, of: TreeId) {
  const { id, parentId, role, kind, status, createdAt, text } = one;
  const cut = text.length > longestText;
  const pictures = storedImagesOf(one).map((_, index) => `coppice://trees/${of}/nodes/${id}/pictures/${index}`);
  return {
    ...{ id, parentId, role, kind, status, createdAt, text: cut ? text.slice(0, longestText) : text, cut },
    ...(pictures.length === 0 ? {} : { pictures }),
  };
}

function mcpTree(text: string): TreeId {
  return unwrapResult(parseTreeId(text));
}

function mcpNode(text: string): NodeId {
  return unwrapResult(parseNodeId(text));
}

/** Creates an MCP server for the trees of one owner. */
export function createTreesMcpServer(options: TreesServerOptions): McpServer {
  const server = new McpServer({ name: 'coppice', version: options.version });
  addReading(server, options.store);
  if (!options.readOnly) addWriting(server, options);
  addResources(server, options.store);
  server.registerPrompt(
    'continue-branch',
    {
      title: 'Continue from a branch',
      description: 'The conversation up to a node, to continue from it.',
      argsSchema: z.strictObject({ tree, node: node.optional() }),
    },
    ({ tree: of, node: at }) =>
      listResources(async () => {
        const id = mcpTree(of);
        const page = await options.store.read(id, () =>
          readPage(id, { limit: 50, ...(at === undefined ? {} : { nodeId: mcpNode(at) }) }),
        );
        const earlier =
          page.before === null ? [] : [`Earlier messages are left out; the first included one is ${page.before}.`];
        const said = page.nodes.map((one) => `${one.role}: ${mcpMessage(one, id).text}`);
        const text = ['Continue this conversation:', ...earlier, ...said].join('\n\n');
        return { messages: [{ role: 'user', content: { type: 'text', text } }] };
      }),
  );
  return server;
}

const reads = { readOnlyHint: true, openWorldHint: false } as const;

function addReading(server: McpServer, store: Store): void {
  server.registerTool(
    'list',
    {
      description: 'Lists conversations, last changed first.',
      inputSchema: z.strictObject({ title: z.string().optional(), project: z.string().optional(), limit, cursor }),
      outputSchema: answers.treeListSchema,
      annotations: reads,
    },
    ({ title, project, limit: most = 20, cursor: from }) =>
      answerWith(async () => {
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
  server.registerTool(
    'search',
    {
      description: 'Searches the messages of all branches of all conversations for all words.',
      inputSchema: z.strictObject({ text: z.string().min(1).max(1_000), tree: tree.optional(), limit, cursor }),
      outputSchema: answers.searchAnswerSchema,
      annotations: reads,
    },
    ({ text, tree: of, limit: most = 20, cursor: from }) =>
      answerWith(() =>
        store.search({
          text,
          limit: most,
          ...(of === undefined ? {} : { treeId: mcpTree(of) }),
          ...(from === undefined ? {} : { cursor: from }),
        }),
      ),
  );
  server.registerTool(
    'read-thread',
    {
      description: 'Reads the messages of a branch up to the active node or another node, newest last.',
      inputSchema: z.strictObject({ tree, node: node.optional(), limit, before: node.optional() }),
      outputSchema: answers.threadSchema,
      annotations: reads,
    },
    ({ tree: of, node: at, limit: most = 20, before }) =>
      answerWith(async () => {
        const id = mcpTree(of);
        const page = await store.read(id, () =>
          readPage(id, {
            limit: most,
            ...(at === undefined ? {} : { nodeId: mcpNode(at) }),
            ...(before === undefined ? {} : { before: mcpNode(before) }),
          }),
        );
        const { rootId, activeNodeId, version } = page;
        return {
          rootId,
          activeNodeId,
          version,
          before: page.before,
          messages: page.nodes.map((one) => mcpMessage(one, id)),
        };
      }),
  );
  server.registerTool(
    'read-tree',
    {
      description: 'Reads the structure of a conversation: its branches without the texts.',
      inputSchema: z.strictObject({
        tree,
        from: node.optional(),
        depth: z.number().int().min(0).max(1_000).optional(),
      }),
      outputSchema: answers.treeShapeSchema,
      annotations: reads,
    },
    ({ tree: of, from, depth = 50 }) =>
      answerWith(async () => {
        const id = mcpTree(of);
        const [row, nodes] = await store.read(id, function* () {
          const start = from === undefined ? {} : { from: mcpNode(from) };
          return [yield* readTree(id), yield* readTopology(id, { ...start, depth })] as const;
        });
        const { rootId, activeNodeId, version } = row;
        const left = Math.max(0, nodes.length - maxNodes);
        return { rootId, activeNodeId, version, left, nodes: nodes.slice(0, maxNodes) };
      }),
  );
  server.registerTool(
    'compare',
    {
      description: 'Compares two branches: the common messages, and those of each branch.',
      inputSchema: z.strictObject({ tree, a: node, b: node }),
      outputSchema: answers.comparisonSchema,
      annotations: reads,
    },
    ({ tree: of, a, b }) =>
      answerWith(async () => {
        const id = mcpTree(of);
        const [left, right] = await store.read(id, function* () {
          return [yield* readPath({ to: mcpNode(a) }), yield* readPath({ to: mcpNode(b) })] as const;
        });
        const found = diffBranches(left, right);
        const [first, second] = [found.left[0]?.message, found.right[0]?.message];
        return {
          common: found.common,
          shared: found.shared,
          left: found.left.slice(0, 50).map((one) => mcpMessage(one, id)),
          right: found.right.slice(0, 50).map((one) => mcpMessage(one, id)),
          words: first == null || second == null ? null : diffMessages(first, second).text,
        };
      }),
  );
}

const adds = { readOnlyHint: false, destructiveHint: false, openWorldHint: false } as const;

function addWriting(server: McpServer, { store, context, compactor }: TreesServerOptions): void {
  server.registerTool(
    'append',
    {
      description:
        'Adds a message below a node, or at the end of the active branch. Without a tree it starts a new conversation.',
      inputSchema: z.strictObject({
        tree: tree.optional(),
        node: node.optional(),
        role: z.enum(['user', 'assistant']).optional(),
        text: z.string().min(1).max(1_000_000),
      }),
      outputSchema: answers.appendedMessageSchema,
      annotations: adds,
    },
    ({ tree: of, node: at, role = 'user', text }) =>
      answerWith(async () => {
        const given = context();
        // Checked before a tree is created: a refused call must not leave an empty tree.
        if (text.trim() === '') return refuse('message/blank', 'The text is empty. Give the text of the message.');
        if (of === undefined && at !== undefined)
          return refuse('command/invalid', `Name the tree of the node ${at.slice(0, 100)} as well.`);
        const id = of === undefined ? treeId(given.newId()) : mcpTree(of);
        const autoTitle = titleFromFirstSentence(text);
        const attributes = autoTitle === null ? {} : { autoTitle };
        if (of === undefined) await run(store, { type: 'create', treeId: id, attributes }, given);
        const parent = at === undefined ? {} : { parentId: mcpNode(at) };
        const messages = [{ message: textMessage(role, text) }];
        const { result, version } = await run(store, { type: 'append', treeId: id, messages, ...parent }, given);
        return { treeId: id, nodeId: result.nodeId, version };
      }),
  );
  server.registerTool(
    'branch',
    {
      description: 'Makes a node active, so that the conversation continues from it.',
      inputSchema: z.strictObject({ tree, node, summary: z.string().max(100_000).optional() }),
      outputSchema: answers.branchAnswerSchema,
      annotations: adds,
    },
    ({ tree: of, node: at, summary }) =>
      answerWith(async () => {
        const command = { type: 'branch', treeId: mcpTree(of), nodeId: mcpNode(at) } as const;
        const { result, version } = await run(
          store,
          summary === undefined ? command : { ...command, summary },
          context(),
        );
        return { nodeId: result.nodeId, version };
      }),
  );
  server.registerTool(
    'bookmark',
    {
      description: 'Sets the bookmark of a node; without a title it removes the bookmark.',
      inputSchema: z.strictObject({ tree, node, title: z.string().max(500).optional() }),
      outputSchema: answers.bookmarkAnswerSchema,
      annotations: { ...adds, idempotentHint: true },
    },
    ({ tree: of, node: at, title = null }) =>
      answerWith(async () => {
        const { version } = await run(
          store,
          { type: 'bookmark', treeId: mcpTree(of), nodeId: mcpNode(at), title },
          context(),
        );
        return { nodeId: at, title, version };
      }),
  );
  if (compactor === undefined) return;
  server.registerTool(
    'summarise',
    {
      description: 'Merges another branch into the active one, as a summary.',
      inputSchema: z.strictObject({ tree, node, focus: z.string().max(4_000).optional() }),
      outputSchema: answers.mergeAnswerSchema,
      annotations: adds,
    },
    ({ tree: of, node: at, focus }) =>
      answerWith(() =>
        compactor.merge({ treeId: mcpTree(of), nodeId: mcpNode(at), ...(focus === undefined ? {} : { focus }) }),
      ),
  );
}

const treeResource = { description: 'The structure of a conversation.', mimeType: 'application/json' } as const;

/** Lists the trees as resources, one page at a time. */
async function resourcesFrom(store: Store, from: string | undefined) {
  const page = await store.trees({ limit: maxResources, ...(from === undefined ? {} : { cursor: from }) });
  const resources = page.items.map(({ id, attributes }) => {
    return { uri: `coppice://trees/${id}`, name: attributes.title ?? attributes.autoTitle ?? id, ...treeResource };
  });
  return { resources, ...(page.cursor === null ? {} : { nextCursor: page.cursor }) };
}

/** Runs a list request. An error becomes a protocol error with code and message. */
async function listResources<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (thrown) {
    if (!isAppError(thrown)) throw new ProtocolError(ProtocolErrorCode.InternalError, 'Something went wrong.');
    const { code, kind, message } = thrown;
    const blame = kind === 'internal' || kind === 'unavailable' ? 'InternalError' : 'InvalidParams';
    throw new ProtocolError(ProtocolErrorCode[blame], `${code}: ${message}`, { code, kind });
  }
}

function addResources(server: McpServer, store: Store): void {
  server.registerResource(
    'tree',
    new ResourceTemplate('coppice://trees/{tree}', { list: undefined }),
    treeResource,
    (uri, { tree: of }) =>
      listResources(async () => {
        const id = mcpTree(String(of));
        const nodes = await store.read(id, () => readTopology(id));
        const text = JSON.stringify({ left: Math.max(0, nodes.length - maxNodes), nodes: nodes.slice(0, maxNodes) });
        return { contents: [{ uri: uri.href, mimeType: 'application/json', text }] };
      }),
  );
  server.registerResource(
    'thread',
    new ResourceTemplate('coppice://trees/{tree}/nodes/{node}', { list: undefined }),
    { description: 'The thread that ends at a node.', mimeType: 'text/markdown' },
    (uri, { tree: of, node: at }) =>
      listResources(async () => {
        const id = mcpTree(String(of));
        const page = await store.read(id, () => readPage(id, { nodeId: mcpNode(String(at)), limit: maxMessages }));
        const earlier =
          page.before === null ? [] : [`Earlier messages are left out; the first included one is ${page.before}.`];
        const said = page.nodes.map((one) => `## ${one.role}\n\n${mcpMessage(one, id).text}`);
        const text = [...earlier, ...said].join('\n\n');
        return { contents: [{ uri: uri.href, mimeType: 'text/markdown', text }] };
      }),
  );
  server.registerResource(
    'picture',
    new ResourceTemplate('coppice://trees/{tree}/nodes/{node}/pictures/{index}', { list: undefined }),
    { description: 'An image of a message, by its index from 0.' },
    (uri, { tree: of, node: at, index }) =>
      listResources(async () => {
        const ids = [mcpNode(String(at))];
        const [found] = await store.read(mcpTree(String(of)), () => ask('nodes', { ids }));
        const { mediaType, bytes } = await readStoredImage(store, found, String(index));
        return { contents: [{ uri: uri.href, mimeType: mediaType, blob: bytes }] };
      }),
  );
  // Replaces the SDK's handler, which has no paging and would stop after the first hundred trees.
  server.server.setRequestHandler('resources/list', ({ params }) =>
    listResources(() => resourcesFrom(store, params?.cursor)),
  );
}
