/** The messages that are being edited: their content when the box was opened, and which of them are being saved. */

import type { SeenContent } from '@coppice/client';
import type { Node, NodeId } from '@coppice/core';
import { create } from 'zustand';
import { saveDraft } from '../state/drafts.ts';
import { useUi } from '../state/ui.ts';
import { focusMessage } from './focus-message.ts';

/** The messages that are being saved: their boxes accept no input, which would be lost. */
export const useSavingMessages = create<{ readonly ids: ReadonlySet<NodeId> }>(() => ({ ids: new Set() }));

const begun = new Map<NodeId, SeenContent>();
const wantedAgain = new Set<NodeId>();

export function editDraftName(id: NodeId): string {
  return `edit.${id}`;
}

/**
 * The content of a message when its box was opened. Others may change the message while the box is open or scrolled out
 * of view.
 */
export function originalContentOf(id: NodeId): SeenContent | null {
  return begun.get(id) ?? null;
}

/** Remembers the original content of a box until it closes. */
export function rememberOriginalContent(seen: SeenContent): void {
  begun.set(seen.node.id, seen);
}

/** Opens the edit box of a message. If the message is being saved, its box opens again with the saved text. */
export function startEditing({ id }: Pick<Node, 'id'>): void {
  if (useSavingMessages.getState().ids.has(id)) wantedAgain.add(id);
  useUi.setState({ editing: id });
}

/** Closes a box without keeping its text. A box of another message stays open. */
export function closeEditBox(id: NodeId): void {
  begun.delete(id);
  saveDraft(editDraftName(id), '');
  if (useUi.getState().editing === id) useUi.setState({ editing: null });
}

/** Forgets the original content of an unchanged box. */
export function forgetOriginalContent(id: NodeId): void {
  begun.delete(id);
}

/**
 * Saves the text of a box and closes the box; if the server refuses, the box stays open with its text. The focus moves
 * to the saved message unless another element has it by then. Returns the saved message.
 */
export async function saveEdit(
  id: NodeId,
  save: () => Promise<NodeId | null>,
  isHere: () => boolean,
): Promise<NodeId | null> {
  useSavingMessages.setState(({ ids }) => ({ ids: new Set([...ids, id]) }));
  const written = await save().finally(() =>
    useSavingMessages.setState(({ ids }) => ({ ids: new Set([...ids].filter((each) => each !== id)) })),
  );
  const again = wantedAgain.delete(id);
  if (written === null) {
    if (useUi.getState().editing === null) useUi.setState({ editing: id });
    return null;
  }
  const here = isHere();
  closeEditBox(id);
  // After the old box is unmounted, so that the new one starts with the saved text.
  if (again && written === id) setTimeout(() => useUi.setState({ editing: id }));
  else if (here) focusMessage(written);
  return written;
}
