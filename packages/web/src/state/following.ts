import type { NodeId } from '@coppice/core';
import { pathToNode } from './loaded-branch.ts';
import type { TreeSession } from './session.ts';

/** Leads a view to where a write left the tree; not a view that its user has led elsewhere since this was called. */
export function refreshUnlessNavigated(
  session: TreeSession,
): (to: NodeId | null | undefined, version: number) => Promise<void> {
  const { led } = session;
  return async (to, version) => {
    if (to !== undefined && to !== null) return session.leadTo(() => to, version, led);
    return session.catchUp(version);
  };
}

/** Whether a view is on a branch through a message. */
export function isOnShownPath(session: TreeSession, id: NodeId): boolean {
  const { part } = session.state;
  return part !== null && pathToNode(part).some((node) => node.id === id);
}
