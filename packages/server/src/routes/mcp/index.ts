/** The trees of whoever calls, as an MCP server over HTTP. */

import { z } from '@hono/zod-openapi';
import { answerOverHttp } from '../../mcp/over-http.ts';
import { apiVersion } from '../../openapi.ts';
import { runContext } from '../../tree-view.ts';
import { problem } from '../../wire/schemas.ts';
import { defineRoute, type RawReply, type RouteDefinition } from '../define.ts';

// What the protocol says about a request; the rest, the token above all, was for this server alone.
const passed = [
  'content-type',
  'accept',
  'mcp-protocol-version',
  'mcp-session-id',
  'mcp-method',
  'mcp-name',
  'last-event-id',
];

// What the protocol refuses is told in its own words, as everything is that it answers.
const refusal = z
  .object({ jsonrpc: z.literal('2.0'), error: z.object({ code: z.number(), message: z.string() }), id: z.unknown() })
  .openapi('McpProblem');

const call = defineRoute({
  method: 'post',
  path: '/mcp',
  name: 'callMcp',
  summary:
    'The trees of the caller as an MCP server (streamable HTTP). It reads, and writes only where the operator says so.',
  needs: { body: 'bytes', access: 'read' },
  answer: z.unknown(),
  refusal: z.union([refusal, problem]),
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
    const response = await answerOverHttp(request, {
      store: ownerServices.store,
      context: () => runContext(given),
      compactor: ownerServices.engineOf(ownerServices.store).compactor,
      readOnly,
      version: apiVersion,
    });
    return { raw: response.body, status: response.status, headers: Object.fromEntries(response.headers) };
  },
});

/** The MCP server's one route. */
export const mcp: readonly RouteDefinition[] = [call];
