import type { TreeSession } from '../state/session.ts';

let opened: TreeSession | null = null;

/** Tells keys and palette which tree is open. */
export function setOpenSession(session: TreeSession | null): void {
  opened = session;
}

/** The open tree, or null. */
export function openSession(): TreeSession | null {
  return opened;
}
