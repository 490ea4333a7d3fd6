import type { NodeId } from '@coppice/core';
import type { HTMLAttributes } from 'react';
import { useUi } from '../state/ui.ts';

// A distant message must be scrolled to, rendered and measured before it can get the focus.
const mostFrames = 30;

/**
 * Focuses a message as soon as it is rendered, so that keyboard and screen reader users are at the current message.
 */
export function focusMessage(id: NodeId, left = mostFrames): void {
  requestAnimationFrame(() => {
    const row = document.querySelector<HTMLElement>(`[data-node-id="${CSS.escape(id)}"] :is(article, aside)`);
    if (row !== null) row.focus({ preventScroll: true });
    else if (left > 0) focusMessage(id, left - 1);
  });
}

/** Makes a row focusable by code and by clicks, but not with Tab; a focused row becomes the current message. */
export function getMessageFocusProps(id: NodeId): Pick<HTMLAttributes<HTMLElement>, 'tabIndex' | 'onFocus'> {
  return { tabIndex: -1, onFocus: () => useUi.setState({ current: id }) };
}
