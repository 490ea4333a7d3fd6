/** Going to a message of the open tree, so that the browser's way back leads to where one was. */
import type { NodeId } from '@coppice/core';
import { shownPath } from './loaded-branch.ts';
import { navigateTo, treePlace } from './router.ts';
import type { TreeSession } from './session.ts';

/** Brings a message into sight: where it is shown already by scrolling, else as a place of its own. */
export function openMessage(session: TreeSession, id: NodeId): void {
  const { part } = session.state;
  if (part !== null && shownPath(part).some((node) => node.id === id)) session.look(id);
  else navigateTo(treePlace(session.treeId, { nodeId: id }));
}
