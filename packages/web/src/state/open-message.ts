/** Opens a message of the open tree, so that the browser's back button returns to the previous one. */

import { shownPath, type TreeSession } from '@coppice/client';
import type { NodeId } from '@coppice/core';
import { navigateTo, treeRoute } from './router.ts';

/** Shows a message: by scrolling if it is on the shown branch, else as a new history entry. */
export function openMessage(session: TreeSession, id: NodeId): void {
  const { part } = session.state;
  if (part !== null && shownPath(part).some((node) => node.id === id)) session.scrollTo(id);
  else navigateTo(treeRoute(session.treeId, { nodeId: id }));
}
