import { createContext, useContext } from 'react';
import { useStore } from 'zustand';
import type { OpenTreeState, TreeSession } from './session.ts';

/** The open tree of this part of the page. */
export const SessionContext = createContext<TreeSession | null>(null);

/** The open tree. Only below a tree's screen. */
export function useSession(): TreeSession {
  const session = useContext(SessionContext);
  if (session === null) throw new Error('There is no open tree here.');
  return session;
}

/** A part of the open tree's state; draws again when it changes. */
export function useTree<T>(select: (state: OpenTreeState) => T): T {
  return useStore(useSession().store, select);
}
