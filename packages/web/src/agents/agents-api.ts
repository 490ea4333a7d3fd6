/** The API of recorded work: sessions, sub-agents, and calls that could not be recorded. */
import { type ApiSchemas, readResponse } from '@coppice/client';
import type { TreeId } from '@coppice/core';
import { routes } from '../state/page-client.ts';

export type RecordedWork = ApiSchemas['RecordedWork'];
export type RecordedSession = ApiSchemas['RecordedSession'];
export type WorkFigures = ApiSchemas['WorkFigures'];
export type FailedCall = ApiSchemas['FailedCall'];
export type SubAgents = ApiSchemas['SubAgents'];

/** Requests for recorded work. Each rejects with a `HttpProblem`. */
export const agentsApi = {
  list: (query: {
    readonly since: number;
    readonly program?: string;
    readonly project?: string;
    readonly cursor?: string;
  }) => readResponse<RecordedWork>(routes.GET('/api/agents', { params: { query: { ...query } } })),
  failed: () => readResponse<{ readonly calls: readonly FailedCall[] }>(routes.GET('/api/proxy/failed')),
  acknowledge: (ids: readonly string[]) =>
    readResponse<{ readonly calls: readonly FailedCall[] }>(
      routes.POST('/api/proxy/failed/acknowledge', { body: { ids: [...ids] } }),
    ),
  retry: (id: string) =>
    readResponse<{ readonly calls: readonly FailedCall[] }>(
      routes.POST('/api/proxy/failed/{id}/retry', { params: { path: { id } } }),
    ),
  subAgents: (tree: TreeId) =>
    readResponse<SubAgents>(routes.GET('/api/trees/{tree}/sub-agents', { params: { path: { tree } } })),
};
