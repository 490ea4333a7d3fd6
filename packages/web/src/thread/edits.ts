/** Messages that are being rewritten: what their writers have seen, and which are on their way to the server. */
import type { Node, NodeId } from '@coppice/core';
import { create } from 'zustand';
import { saveDraft } from '../state/drafts.ts';
import type { SeenContent } from '../state/edit-message.ts';
import { useUi } from '../state/ui.ts';
import { focusMessage } from './focus-message.ts';

/** The messages whose new text is on its way: their boxes take nothing more, it would go under with them. */
export const useSaving = create<{ readonly ids: ReadonlySet<NodeId> }>(() => ({ ids: new Set() }));

const begun = new Map<NodeId, SeenContent>();
const wantedAgain = new Set<NodeId>();

/** The name under which the new text of a message is kept until it is saved. */
export function editDraft(id: NodeId): string {
  return `edit.${id}`;
}

/** What the writer of a box has seen: others may write while it is open, and while it is scrolled out of sight. */
export function seenBefore(id: NodeId): SeenContent | null {
  return begun.get(id) ?? null;
}

/** Remembers what a box was begun on, until it ends. */
export function rememberSeen(seen: SeenContent): void {
  begun.set(seen.node.id, seen);
}

/** Opens the box of a message. One that is being saved opens again with what was saved. */
export function startEditing({ id }: Pick<Node, 'id'>): void {
  if (useSaving.getState().ids.has(id)) wantedAgain.add(id);
  useUi.setState({ editing: id });
}

/** Ends a box: nothing of it is kept. A box that was opened meanwhile, of another message, stays. */
export function endEdit(id: NodeId): void {
  begun.delete(id);
  saveDraft(editDraft(id), '');
  if (useUi.getState().editing === id) useUi.setState({ editing: null });
}

/** Forgets what an open box was begun on: nothing was written in it yet, so it may as well begin anew. */
export function forgetSeen(id: NodeId): void {
  begun.delete(id);
}

/**
 * Saves what a box says, and ends it; where that is refused it is open, with its text. The focus goes to what was written
 * if it is not elsewhere by then. Answers what was written.
 */
export async function saveEdit(
  id: NodeId,
  save: () => Promise<NodeId | null>,
  isHere: () => boolean,
): Promise<NodeId | null> {
  useSaving.setState(({ ids }) => ({ ids: new Set([...ids, id]) }));
  const written = await save().finally(() =>
    useSaving.setState(({ ids }) => ({ ids: new Set([...ids].filter((each) => each !== id)) })),
  );
  const again = wantedAgain.delete(id);
  if (written === null) {
    if (useUi.getState().editing === null) useUi.setState({ editing: id });
    return null;
  }
  const here = isHere();
  endEdit(id);
  // After the old box is gone, so that the new one begins with what was saved.
  if (again && written === id) setTimeout(() => useUi.setState({ editing: id }));
  else if (here) focusMessage(written);
  return written;
}
