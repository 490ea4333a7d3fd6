import type { NodeId } from '@coppice/core';
import { pathOf } from './loaded.ts';
import type { TreeSession } from './session.ts';

/** Reads a tree again and leads its view to a place; not a view that its user has led elsewhere since this was asked for. */
export function following(session: TreeSession): (to?: NodeId | null) => Promise<void> {
  const { led } = session;
  return (to) => session.refresh(session.led === led ? (to ?? undefined) : undefined);
}

/** Whether a view is on a branch through a message. */
export function isThrough(session: TreeSession, id: NodeId): boolean {
  const { part } = session.state;
  return part !== null && pathOf(part).some((node) => node.id === id);
}
