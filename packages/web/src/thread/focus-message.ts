import type { NodeId } from '@coppice/core';

// A message that is far away is scrolled to, drawn and measured before it can have the focus.
const mostFrames = 30;

/** Gives the focus to a message as soon as it is drawn, so that whoever goes by keys or by ear is where the mark is. */
export function focusMessage(id: NodeId, left = mostFrames): void {
  requestAnimationFrame(() => {
    const row = document.querySelector<HTMLElement>(`[data-node-id="${CSS.escape(id)}"] :is(article, aside)`);
    if (row !== null) row.focus({ preventScroll: true });
    else if (left > 0) focusMessage(id, left - 1);
  });
}
