/** Which client and which open tree the hooks below use. */
import { type CoppiceClient, createClient, type OpenTreeState, type TreeSession } from '@coppice/client';
import type { NodeId, TreeId } from '@coppice/core';
import {
  createContext,
  type ReactElement,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useRef,
  useSyncExternalStore,
} from 'react';

const ClientContext = createContext<CoppiceClient | null>(null);
const SessionContext = createContext<TreeSession | null>(null);

/** Gives the hooks below their client. Without it they use the server that the page came from. */
export function CoppiceProvider({
  client,
  children,
}: {
  readonly client: CoppiceClient;
  readonly children?: ReactNode;
}): ReactElement {
  return <ClientContext.Provider value={client}>{children}</ClientContext.Provider>;
}

let pageClient: CoppiceClient | null = null;

/** The client of the provider above; the one of the page's own server by default. */
export function useClient(): CoppiceClient {
  const given = useContext(ClientContext);
  if (given !== null) return given;
  pageClient ??= createClient();
  return pageClient;
}

/** How many components use a session. React mounts twice in strict mode; a session is closed only when nobody comes back. */
const users = new WeakMap<TreeSession, number>();

function keepOpen(session: TreeSession, nodeId: NodeId | undefined): () => void {
  const before = users.get(session);
  users.set(session, (before ?? 0) + 1);
  if (before === undefined) void session.open(nodeId);
  return () => {
    users.set(session, (users.get(session) ?? 1) - 1);
    setTimeout(() => {
      if (users.get(session) === 0) session.close();
    });
  };
}

/** Opens a tree while the component is mounted, at the branch through a node if one is named. Nothing is read on a server. */
export function useOpenTree(treeId: TreeId, nodeId?: NodeId): TreeSession {
  const client = useClient();
  const session = useMemo(() => client.openTree(treeId), [client, treeId]);
  // The node says where the tree opens; later changes of it are navigation, not another opening.
  const opensAt = useRef(nodeId);
  opensAt.current = nodeId;
  useEffect(() => keepOpen(session, opensAt.current), [session]);
  return session;
}

/** Gives the hooks below an open tree: opens it by its id, or takes a session that you opened. */
export function TreeProvider(
  props: { readonly children?: ReactNode } & (
    | { readonly treeId: TreeId; readonly nodeId?: NodeId }
    | { readonly session: TreeSession }
  ),
): ReactElement {
  if ('session' in props)
    return <SessionContext.Provider value={props.session}>{props.children}</SessionContext.Provider>;
  return <OpenedTreeProvider {...props} />;
}

function OpenedTreeProvider(props: {
  readonly treeId: TreeId;
  readonly nodeId?: NodeId;
  readonly children?: ReactNode;
}): ReactElement {
  const session = useOpenTree(props.treeId, props.nodeId);
  return <SessionContext.Provider value={session}>{props.children}</SessionContext.Provider>;
}

/** The open tree of the provider above; null without one, as on a page that shows shared messages. */
export function useOptionalSession(): TreeSession | null {
  return useContext(SessionContext);
}

/** The open tree of the provider above. Throws without one. */
export function useSession(): TreeSession {
  const session = useOptionalSession();
  if (session === null) throw new Error('There is no open tree here: put a <TreeProvider> around this component.');
  return session;
}

/** A part of the open tree's state; draws again when it changes. `select` returns a value of the state, not a new object. */
export function useTreeState<T>(select: (state: OpenTreeState) => T): T {
  const { store } = useSession();
  const read = () => select(store.getState());
  // On a server too: a session that was opened before rendering is rendered with its messages.
  return useSyncExternalStore(store.subscribe, read, read);
}
