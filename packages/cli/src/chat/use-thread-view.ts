/** The visible part of the thread on the full screen, and the focused message. */
import type { NodeId } from '@coppice/core';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { TextStyles } from '../terminal/style.ts';
import type { ChatState } from './chat-state.ts';
import { type ScreenLine, ThreadLines } from './thread-lines.ts';

export interface ThreadView {
  readonly focus: NodeId | null;
  /** The lines of the thread that fit on the screen. */
  shown(space: number): readonly ScreenLine[];
  /** Scrolls by screens. A positive number scrolls back. */
  scrollPages(pages: number, space: number): void;
  /** Focuses the next message in a direction and scrolls to it. */
  moveFocus(step: number, space: number): void;
  clearFocus(): void;
  /** Shows the end of the thread, without a focused message. */
  showEnd(): void;
}

export function useThreadView(options: {
  readonly state: ChatState;
  /** Whether the layout is inline. The terminal then scrolls, and this view has no lines. */
  readonly isInline: boolean;
  readonly width: number;
  readonly style: TextStyles;
}): ThreadView {
  const { state, isInline, width, style } = options;
  const [scroll, setScroll] = useState(0);
  const [focus, setFocus] = useState<NodeId | null>(null);
  const thread = useRef(new ThreadLines());
  const lines = useMemo(
    () => (isInline ? [] : thread.current.of(state, width, style, focus)),
    [isInline, state, width, style, focus],
  );
  const furthestFor = (space: number) => Math.max(0, lines.length - space);
  // Clamps the offset when the thread becomes shorter, for example after a switch to another branch.
  useEffect(() => {
    if (scroll > lines.length) setScroll(lines.length);
  }, [scroll, lines]);

  return {
    focus,
    shown(space) {
      const offset = Math.min(scroll, furthestFor(space));
      return lines.slice(Math.max(0, lines.length - space - offset), lines.length - offset);
    },
    scrollPages(pages, space) {
      const offset = Math.min(scroll, furthestFor(space));
      setScroll(Math.max(0, Math.min(furthestFor(space), offset + pages * (space - 1))));
    },
    moveFocus(step, space) {
      const at = state.nodes.findIndex((node) => node.id === focus);
      const next = state.nodes[at === -1 ? state.nodes.length - 1 : at + step];
      setFocus(next?.id ?? null);
      const line = lines.findIndex((each) => each.nodeId === next?.id);
      if (line !== -1) setScroll(Math.max(0, Math.min(furthestFor(space), lines.length - line - space)));
    },
    clearFocus: () => setFocus(null),
    showEnd() {
      setScroll(0);
      setFocus(null);
    },
  };
}
