/** The API of recorded work: sessions, sub-agents, and calls that could not be recorded. */
import { readResponse, type Schemas } from '@coppice/client';
import type { TreeId } from '@coppice/core';
import { routes } from '../state/page-client.ts';

export type RecordedWork = Schemas['RecordedWork'];
export type RecordedSession = Schemas['RecordedSession'];
export type WorkFigures = Schemas['WorkFigures'];
export type FailedCall = Schemas['FailedCall'];
export type SubAgents = Schemas['SubAgents'];

/** The requests. Each rejects with a `HttpProblem`. */
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
