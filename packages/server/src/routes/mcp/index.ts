/** The route that serves the caller's trees as an MCP server. */

import { z } from '@hono/zod-openapi';
import { answerMcpOverHttp } from '../../mcp/over-http.ts';
import { createRunContext } from '../../tree-view.ts';
import { productVersion } from '../../version.ts';
import { problemSchema } from '../../wire/schemas.ts';
import { defineRoute, type RawReply, type RouteDefinition } from '../define.ts';

// Only these headers of the protocol are passed to the MCP server. The token is not among them.
const passed = [
  'content-type',
  'accept',
  'mcp-protocol-version',
  'mcp-session-id',
  'mcp-method',
  'mcp-name',
  'last-event-id',
];

// The MCP protocol has its own error format.
const refusal = z
  .object({ jsonrpc: z.literal('2.0'), error: z.object({ code: z.number(), message: z.string() }), id: z.unknown() })
  .openapi('McpProblem');

const call = defineRoute({
  method: 'post',
  path: '/mcp',
  name: 'callMcp',
  summary: 'Serves your trees as an MCP server (streamable HTTP). It is read-only unless the operator allows writes.',
  needs: { body: 'bytes', access: 'read' },
  answer: z.unknown(),
  refusal: z.union([refusal, problemSchema]),
  async handle(given): Promise<RawReply> {
    const { services, ownerServices, caller } = given;
    const readOnly = !services.mcpWrites || caller.role === 'viewer';
    const headers: Record<string, string> = {};
    for (const name of passed) {
      const value = given.header(name);
      if (value !== undefined) headers[name] = value;
    }
    const request = new Request('http://localhost/mcp', {
      method: 'POST',
      headers,
      body: await given.bytes(),
      signal: given.signal,
    });
    const response = await answerMcpOverHttp(request, {
      store: ownerServices.store,
      context: () => createRunContext(given),
      compactor: ownerServices.engineOf(ownerServices.store).compactor,
      readOnly,
      version: productVersion,
    });
    return { raw: response.body, status: response.status, headers: Object.fromEntries(response.headers) };
  },
});

export const mcpRoutes: readonly RouteDefinition[] = [call];
