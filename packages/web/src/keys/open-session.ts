import type { TreeSession } from '@coppice/client';

let opened: TreeSession | null = null;

/** Sets the open tree for keys and palette. */
export function setOpenSession(session: TreeSession | null): void {
  opened = session;
}

/** The open tree, or null. */
export function openSession(): TreeSession | null {
  return opened;
}
