/** Serves a user's trees over MCP, so that agents can search, read and branch earlier conversations. */
import { ask, isAppError, readPage, readTopology, type Store } from '@coppice/core';
import { McpServer, ProtocolError, ProtocolErrorCode, ResourceTemplate } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { TreesMcpServerOptions } from './options.ts';
import { addReadTools } from './read-tools.ts';
import { readStoredImage } from './stored-images.ts';
import {
  maxResultNodes,
  nodeParameter,
  parseMcpNodeId,
  parseMcpTreeId,
  toMcpMessage,
  treeParameter,
} from './tool-values.ts';
import { addWriteTools } from './write-tools.ts';

const maxMessages = 100;
const maxResources = 100;

/** Creates an MCP server for the trees of one owner. */
export function createTreesMcpServer(options: TreesMcpServerOptions): McpServer {
  const server = new McpServer({ name: 'coppice', version: options.version });
  addReadTools(server, options.store);
  if (!options.readOnly) addWriteTools(server, options);
  addResources(server, options.store);
  server.registerPrompt(
    'continue-branch',
    {
      title: 'Continue from a branch',
      description: 'The conversation up to a node, to continue from it.',
      argsSchema: z.strictObject({ tree: treeParameter, node: nodeParameter.optional() }),
    },
    ({ tree: of, node: at }) =>
      listResources(async () => {
        const id = parseMcpTreeId(of);
        const page = await options.store.read(id, () =>
          readPage(id, { limit: 50, ...(at === undefined ? {} : { nodeId: parseMcpNodeId(at) }) }),
        );
        const earlier =
          page.before === null ? [] : [`Earlier messages are left out; the first included one is ${page.before}.`];
        const messageTexts = page.nodes
          // A model never gets the state of programs.
          .filter(({ kind }) => kind !== 'state')
          .map((one) => ({ role: one.role, text: toMcpMessage(one, id).text }))
          .filter(({ text }) => text.trim() !== '')
          .map(({ role, text }) => `${role}: ${text}`);
        const text = ['Continue this conversation:', ...earlier, ...messageTexts].join('\n\n');
        return { messages: [{ role: 'user', content: { type: 'text', text } }] };
      }),
  );
  return server;
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
        const id = parseMcpTreeId(String(of));
        const nodes = await store.read(id, () => readTopology(id));
        const text = JSON.stringify({
          left: Math.max(0, nodes.length - maxResultNodes),
          nodes: nodes.slice(0, maxResultNodes),
        });
        return { contents: [{ uri: uri.href, mimeType: 'application/json', text }] };
      }),
  );
  server.registerResource(
    'thread',
    new ResourceTemplate('coppice://trees/{tree}/nodes/{node}', { list: undefined }),
    { description: 'The thread that ends at a node.', mimeType: 'text/markdown' },
    (uri, { tree: of, node: at }) =>
      listResources(async () => {
        const id = parseMcpTreeId(String(of));
        const page = await store.read(id, () =>
          readPage(id, { nodeId: parseMcpNodeId(String(at)), limit: maxMessages }),
        );
        const earlier =
          page.before === null ? [] : [`Earlier messages are left out; the first included one is ${page.before}.`];
        const sections = page.nodes.map((one) => `## ${one.role}\n\n${toMcpMessage(one, id).text}`);
        const text = [...earlier, ...sections].join('\n\n');
        return { contents: [{ uri: uri.href, mimeType: 'text/markdown', text }] };
      }),
  );
  server.registerResource(
    'picture',
    new ResourceTemplate('coppice://trees/{tree}/nodes/{node}/pictures/{index}', { list: undefined }),
    { description: 'An image of a message, by its index from 0.' },
    (uri, { tree: of, node: at, index }) =>
      listResources(async () => {
        const ids = [parseMcpNodeId(String(at))];
        const [found] = await store.read(parseMcpTreeId(String(of)), () => ask('nodes', { ids }));
        const { mediaType, bytes } = await readStoredImage(store, found, String(index));
        return { contents: [{ uri: uri.href, mimeType: mediaType, blob: bytes }] };
      }),
  );
  // Replaces the SDK's handler, which has no paging and would stop after the first hundred trees.
  server.server.setRequestHandler('resources/list', ({ params }) =>
    listResources(() => resourcesFrom(store, params?.cursor)),
  );
}
