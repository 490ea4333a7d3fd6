/** React contexts with the client and the open tree that the hooks use. */
import { type CoppiceClient, createClient, type OpenTreeState, type TreeSession } from '@coppice/client';
import { nodeId as toNodeId } from '@coppice/core';
import {
  createContext,
  type ReactElement,
  type ReactNode,
  useContext,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';

const ClientContext = createContext<CoppiceClient | null>(null);
const SessionContext = createContext<TreeSession | null>(null);

/** Provides a client to the hooks inside. Without this provider the hooks use the server that served the page. */
export function CoppiceProvider({
  client,
  children,
}: {
  readonly client: CoppiceClient;
  readonly children?: ReactNode;
}): ReactElement {
  if (typeof client?.openTree !== 'function')
    throw new Error('CoppiceProvider needs a `client`, such as createClient({ baseUrl, token }).');
  return <ClientContext.Provider value={client}>{children}</ClientContext.Provider>;
}

let pageClient: CoppiceClient | null = null;

/** Returns the client of the nearest provider; by default a client of the server that served the page. */
export function useClient(): CoppiceClient {
  const given = useContext(ClientContext);
  if (given !== null) return given;
  pageClient ??= createClient();
  return pageClient;
}

/**
 * Counts the components that use a session. React mounts components twice in strict mode, so a session is closed only
 * when no component uses it any more.
 */
const users = new WeakMap<TreeSession, number>();
const closedSessions = new WeakSet<TreeSession>();

function keepOpen(session: TreeSession, nodeId: string | undefined): () => void {
  const before = users.get(session);
  users.set(session, (before ?? 0) + 1);
  if (before === undefined) void session.open(nodeId === undefined ? undefined : toNodeId(nodeId));
  return () => {
    users.set(session, (users.get(session) ?? 1) - 1);
    setTimeout(() => {
      if (users.get(session) !== 0) return;
      closedSessions.add(session);
      session.close();
    });
  };
}

interface HeldSession {
  readonly client: CoppiceClient;
  readonly treeId: string;
  readonly session: TreeSession;
}

function holdSession(client: CoppiceClient, treeId: string): HeldSession {
  return { client, treeId, session: client.openTree(treeId) };
}

/**
 * Opens a tree while the component is mounted. With `nodeId` the branch through that node is shown. Nothing is read
 * during server rendering.
 */
export function useOpenTree(treeId: string, nodeId?: string): TreeSession {
  if (typeof treeId !== 'string' || treeId === '')
    throw new Error('There is no tree to open: pass the id of a tree as `treeId`.');
  const client = useClient();
  const [first, setHeld] = useState(() => holdSession(client, treeId));
  const held = first.client === client && first.treeId === treeId ? first : holdSession(client, treeId);
  if (held !== first) setHeld(held);
  const { session } = held;
  // The node decides only which branch is shown first. A later change of the prop does not open the tree again.
  const opensAt = useRef(nodeId);
  opensAt.current = nodeId;
  useEffect(() => {
    // React keeps the state of components that it hides, as in `<Activity>`, but their session was closed.
    if (closedSessions.has(session)) setHeld(holdSession(client, treeId));
    else return keepOpen(session, opensAt.current);
  }, [session, client, treeId]);
  return session;
}

/** Provides an open tree to the hooks inside: opens the tree by its id, or uses a session that you opened. */
export function TreeProvider(
  props: { readonly children?: ReactNode } & (
    | { readonly treeId: string; readonly nodeId?: string }
    | { readonly session: TreeSession }
  ),
): ReactElement {
  if ('session' in props)
    return <SessionContext.Provider value={props.session}>{props.children}</SessionContext.Provider>;
  return <OpenedTreeProvider {...props} />;
}

function OpenedTreeProvider(props: {
  readonly treeId: string;
  readonly nodeId?: string;
  readonly children?: ReactNode;
}): ReactElement {
  const session = useOpenTree(props.treeId, props.nodeId);
  return <SessionContext.Provider value={session}>{props.children}</SessionContext.Provider>;
}

/** Returns the open tree of the nearest provider; null without a provider, as on a page with shared messages. */
export function useOptionalSession(): TreeSession | null {
  return useContext(SessionContext);
}

/** Returns the open tree of the nearest provider. Throws without a provider. */
export function useSession(): TreeSession {
  const session = useOptionalSession();
  if (session === null) throw new Error('There is no open tree here: put a <TreeProvider> around this component.');
  return session;
}

/**
 * Returns a part of the open tree's state and renders again when that part changes. `select` must return a value from
 * the state, not a new object.
 */
export function useTreeState<T>(select: (state: OpenTreeState) => T): T {
  const { store } = useSession();
  const read = () => select(store.getState());
  // Server rendering uses the same state, so that a session that was opened before is rendered with its messages.
  return useSyncExternalStore(store.subscribe, read, read);
}
