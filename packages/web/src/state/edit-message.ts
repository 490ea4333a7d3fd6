/** Edits a message, reports the result and offers to undo it. */
import { type SeenContent, type ShareView, type TreeSession, toHttpProblem } from '@coppice/client';
import type { Message, NodeId } from '@coppice/core';
import { t, tn } from '../i18n/index.ts';
import { showToast } from './toasts.ts';
import { makeUndoButton, showError } from './tree-actions.ts';

/**
 * Edits a message: as a variant, or in place. Returns the message with the new text; null if the edit was refused.
 */
export async function saveEditedMessage(
  session: TreeSession,
  seen: SeenContent,
  content: Message['content'],
  mode: 'branch' | 'in-place',
): Promise<NodeId | null> {
  try {
    const { nodeId, written, inPlace, outdatedShares } = await session.actions.edit(seen, content, mode);
    if (outdatedShares.length > 0) offerLinkUpdate(session, outdatedShares);
    else
      showToast({
        icon: inPlace ? 'edit' : 'fork',
        text: t(inPlace ? 'saved' : 'branched'),
        action: makeUndoButton(session, written),
      });
    return nodeId;
  } catch (thrown) {
    showError(toHttpProblem(thrown));
    return null;
  }
}

/** Offers to update the share links of an edited message, which still show the old text. */
function offerLinkUpdate({ api }: TreeSession, outdated: readonly ShareView[]): void {
  const update = async () => {
    try {
      for (const { id } of outdated) await api.updateShare(id);
      showToast({ icon: 'share', text: tn('linksUpdated', outdated.length) });
    } catch (thrown) {
      showError(toHttpProblem(thrown));
    }
  };
  const action = { label: tn('updateLinks', outdated.length), run: () => void update() };
  showToast({ icon: 'share', text: tn('savedButLinks', outdated.length), action });
}
