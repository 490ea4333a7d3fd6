/** Reads the recorded work of other programs from a running server. */
import { type CoppiceClient, readResponse } from '@coppice/client';
import type { RecordedSession } from '@coppice/engine';
import type { FailedCall } from '@coppice/server';
import { postJson, translateServerErrors } from './remote-store.ts';

export interface RemoteSessionQuery {
  readonly limit: number;
  readonly since: number;
  readonly project?: string;
  readonly program?: string;
  readonly cursor?: string;
}

type ListedSession = Omit<RecordedSession, 'children'> & { readonly parentId: string | null };

interface ListedWork {
  readonly sessions: readonly ListedSession[];
  readonly cursor: string | null;
}

/** A failed call. The reason is null unless the user is an admin of the server. */
type ListedCall = Omit<FailedCall, 'owner' | 'reason'> & { readonly reason: string | null };

/** Returns the sessions, each with its sub-agents below it, like the list of a local store. */
export async function listRemoteSessions(
  client: CoppiceClient,
  query: RemoteSessionQuery,
): Promise<{ readonly sessions: readonly RecordedSession[]; readonly cursor: string | null }> {
  const { sessions, cursor } = await translateServerErrors(
    readResponse<ListedWork>(client.routes.GET('/api/agents', { params: { query } })),
  );
  const children = new Map<string, RecordedSession[]>();
  const listed = sessions.map(({ parentId, ...session }) => {
    const own: RecordedSession[] = [];
    children.set(session.treeId, own);
    return { parentId, session: { ...session, children: own } };
  });
  for (const { parentId, session } of listed) if (parentId !== null) children.get(parentId)?.push(session);
  return { sessions: listed.filter(({ parentId }) => parentId === null).map(({ session }) => session), cursor };
}

/** Returns the calls that the server could not record. */
export async function listRemoteFailedCalls(client: CoppiceClient): Promise<readonly ListedCall[]> {
  const { calls } = await translateServerErrors(
    readResponse<{ readonly calls: readonly ListedCall[] }>(client.routes.GET('/api/proxy/failed')),
  );
  return calls;
}

/** Removes the failed calls from the list and returns their number. */
export async function acknowledgeRemoteFailedCalls(client: CoppiceClient): Promise<number> {
  const { acknowledged }: { readonly acknowledged: number } = await postJson(
    client,
    '/api/proxy/failed/acknowledge',
    {},
  );
  return acknowledged;
}
