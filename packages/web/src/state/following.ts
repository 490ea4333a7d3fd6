import type { NodeId } from '@coppice/core';
import { pathOf } from './loaded.ts';
import type { TreeSession } from './session.ts';

/** Leads a view to where a write left the tree; not a view that its user has led elsewhere since this was called. */
export function following(session: TreeSession): (to: NodeId | null | undefined, version: number) => Promise<void> {
  const { led } = session;
  return async (to, version) => {
    if (to !== undefined && to !== null) return session.leadTo(() => to, version, led);
    return session.catchUp(version);
  };
}

/** Whether a view is on a branch through a message. */
export function isThrough(session: TreeSession, id: NodeId): boolean {
  const { part } = session.state;
  return part !== null && pathOf(part).some((node) => node.id === id);
}
