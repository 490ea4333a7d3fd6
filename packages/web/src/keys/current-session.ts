import type { TreeSession } from '@coppice/client';

let opened: TreeSession | null = null;

/** Sets the tree that keys and palette act on; null on screens without a tree. */
export function setCurrentSession(session: TreeSession | null): void {
  opened = session;
}

/** Returns the tree that keys and palette act on; null on screens without a tree. */
export function currentSession(): TreeSession | null {
  return opened;
}
