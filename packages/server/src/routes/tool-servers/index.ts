/** The routes of MCP servers: list, add and remove servers, and set the permission of each tool. */
import type { LiveConfig, McpClient, McpServerState, ToolDecision } from '@coppice/engine';
import { z } from '@hono/zod-openapi';
import type { Caller } from '../../caller.ts';
import { throwHttpError } from '../../http-errors.ts';
import { findCallerByToken } from '../../middleware/auth.ts';
import type { SharedServices } from '../../services.ts';
import { listOfSchema } from '../../wire/schemas.ts';
import { defineRoute, toReply } from '../define.ts';

const decision = z.enum(['ask', 'allow', 'never']);

const tool = z
  .object({
    name: z.string().nullable(),
    server: z.string(),
    tool: z.string(),
    status: z.enum(['ready', 'unavailable', 'changed', 'refused']),
    description: z.string(),
    asks: z.boolean(),
    /** Whether calls of the tool need approval, are allowed or are refused. */
    decision,
    pinnedAt: z.number().nullable(),
    offer: z
      .object({
        changed: listOfSchema(z.enum(['command', 'description', 'parameters', 'annotations'])),
        description: z.string(),
        parameters: z.record(z.string(), z.unknown()),
        hash: z.string(),
      })
      .optional(),
    problem: z.string().optional(),
  })
  .openapi('ServerTool');

const server = z
  .object({
    name: z.string(),
    status: z.enum(['starting', 'ready', 'restarting', 'down', 'disabled', 'closed']),
    since: z.number(),
    target: listOfSchema(z.string()),
    server: z.object({ name: z.string(), version: z.string() }).nullable(),
    lastError: z.string().nullable(),
    nextTryAt: z.number().nullable(),
    problems: listOfSchema(z.string()),
    /** Whether the server was added on the page, where it can be removed. */
    removable: z.boolean(),
    tools: listOfSchema(tool),
  })
  .openapi('ToolServer');

const serverList = z.object({
  servers: listOfSchema(server),
  /** The kinds of servers that the caller may add: servers by URL, and servers that are started by a command. */
  mayAdd: z.object({ addresses: z.boolean(), commands: z.boolean() }),
});

function requireLive({ live }: SharedServices): LiveConfig {
  return live ?? throwHttpError('http/forbidden', 'Tool servers are set in the configuration of this server.');
}

function requireClient({ mcp }: SharedServices): McpClient {
  return mcp ?? throwHttpError('http/not-found', 'There are no MCP servers here.');
}

/**
 * Whether the caller may add commands, which run with the permissions of the server process. Only an admin may: on a
 * single-user server if it listens on loopback, on a shared server if the operator allows it.
 */
function mayAddCommands({ auth, bound, config, live, mcp }: SharedServices, { role }: Pick<Caller, 'role'>): boolean {
  if (live === null || mcp === null || role !== 'admin') return false;
  return auth.mode === 'token' ? bound.isLoopback : config.mcpPageCommands;
}

function decisionOf({ config, live }: SharedServices, name: string | null, asks: boolean): ToolDecision {
  if (name === null) return 'ask';
  if (config.tools.deny.includes(name)) return 'never';
  if (config.tools.allow.includes(name)) return 'allow';
  return live?.decisionOf(name) ?? (asks ? 'ask' : 'allow');
}

function viewServer(services: SharedServices, state: McpServerState): z.input<typeof server> {
  return {
    ...state,
    target: [...state.target],
    problems: [...state.problems],
    removable: services.config.mcpServers.get(state.name)?.fromPage === true,
    tools: state.tools.map((each) => ({ ...each, decision: decisionOf(services, each.name, each.asks) })),
  };
}

function listReply(services: SharedServices, caller: Caller): z.input<typeof serverList> {
  const { mcp, live } = services;
  return {
    servers: (mcp?.servers() ?? []).map((state) => viewServer(services, state)),
    mayAdd: {
      addresses: live !== null && mcp !== null && caller.role === 'admin',
      commands: mayAddCommands(services, caller),
    },
  };
}

const list = defineRoute({
  method: 'get',
  path: '/api/mcp',
  name: 'listMcpServers',
  summary: 'Lists the MCP servers with their state, their tools, and the permission of each tool.',
  answer: serverList,
  handle: ({ services, caller }) => toReply(listReply(services, caller)),
});

const approve = defineRoute({
  method: 'post',
  path: '/api/mcp/approvals',
  name: 'approveMcpTool',
  summary:
    'Approves the changed definition of a tool, or of all changed tools of a server. The hash identifies the definition that the user saw.',
  needs: { access: 'admin' },
  body: z.strictObject({ tool: z.string(), hash: z.string().optional() }),
  answer: z.object({ approved: z.number() }),
  async handle({ services, body }) {
    return toReply({ approved: await requireClient(services).approve(body.tool, body.hash) });
  },
});

const word = z.string().max(4096);

const put = defineRoute({
  method: 'put',
  path: '/api/mcp/servers/{name}',
  name: 'putMcpServer',
  summary:
    'Adds an MCP server by its URL, or by the command that starts it. A command needs the token again, and is refused unless this is a single-user server on this computer or the operator allows it.',
  needs: { access: 'admin' },
  body: z.union([
    z.strictObject({ url: z.string().max(2048), key: z.string().max(8192).optional() }),
    z.strictObject({
      command: z.array(word).min(1).max(100),
      env: z.record(z.string().max(200), word).optional(),
      token: z.string().max(4096),
    }),
  ]),
  answer: serverList,
  async handle({ services, caller, params, body }) {
    const live = requireLive(services);
    const client = requireClient(services);
    if ('command' in body) {
      if (!mayAddCommands(services, caller))
        return throwHttpError('http/forbidden', 'Commands are added in the configuration file of this server.');
      const again = await findCallerByToken(services, { token: body.token.trim(), by: 'bearer' });
      if (again === null || again.actor !== caller.actor)
        return throwHttpError('http/forbidden', 'The token that confirms the command is wrong.');
      const { command, env = {} } = body;
      await live.keepToolServer({ name: params.name, command, env });
    } else await live.keepToolServer({ name: params.name, ...body });
    await client.reconfigure(services.config.mcpServers);
    return toReply(listReply(services, caller));
  },
});

const remove = defineRoute({
  method: 'delete',
  path: '/api/mcp/servers/{name}',
  name: 'removeMcpServer',
  summary: 'Disconnects and removes an MCP server that was added through this API, and deletes its key.',
  needs: { access: 'admin' },
  answer: serverList,
  async handle({ services, caller, params }) {
    const client = requireClient(services);
    if (!(await requireLive(services).removeToolServer(params.name)))
      return throwHttpError('http/not-found', `No MCP server ${params.name} was added through this API.`);
    await client.reconfigure(services.config.mcpServers);
    return toReply(listReply(services, caller));
  },
});

const test = defineRoute({
  method: 'post',
  path: '/api/mcp/servers/{name}/test',
  name: 'testMcpServer',
  summary: 'Reconnects to an MCP server, and returns its new state.',
  needs: { access: 'admin' },
  answer: serverList,
  async handle({ services, caller, params }) {
    await requireClient(services).restart(params.name);
    return toReply(listReply(services, caller));
  },
});

const decide = defineRoute({
  method: 'put',
  path: '/api/tools/{name}/decision',
  name: 'decideTool',
  summary: 'Sets whether calls of a tool need approval, are allowed or are refused.',
  needs: { access: 'admin' },
  body: z.strictObject({ decision }),
  answer: z.object({ name: z.string(), decision }),
  async handle({ services, params, body }) {
    const live = requireLive(services);
    if (services.tools.find(params.name) === undefined)
      return throwHttpError('http/not-found', `There is no tool ${params.name.slice(0, 200)}.`);
    await live.decideTool(params.name, body.decision);
    const { sideEffects = true } = services.tools.find(params.name) ?? {};
    return toReply({ name: params.name, decision: decisionOf(services, params.name, sideEffects) });
  },
});

export const toolServerRoutes = [list, approve, put, remove, test, decide];
