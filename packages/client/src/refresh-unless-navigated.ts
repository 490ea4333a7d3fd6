import type { NodeId } from '@coppice/core';
import { loadedPath } from './loaded-branch.ts';
import type { TreeSession } from './session.ts';

/** Returns a function that moves the view to the result of a write, unless the user has moved the view meanwhile. */
export function refreshUnlessNavigated(
  session: TreeSession,
): (to: NodeId | null | undefined, version: number) => Promise<void> {
  const { navigationCount } = session;
  return async (to, version) => {
    if (to !== undefined && to !== null) return session.followTo(() => to, version, navigationCount);
    return session.catchUp(version);
  };
}

/** Whether the shown branch contains a message. */
export function isOnShownPath(session: TreeSession, id: NodeId): boolean {
  const { part } = session.state;
  return part !== null && loadedPath(part).some((node) => node.id === id);
}
