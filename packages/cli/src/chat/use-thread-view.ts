/** React hook for the visible part of the thread on the full screen, and the focused message. */
import type { NodeId } from '@coppice/core';
import { useMemo, useRef, useState } from 'react';
import type { TextStyles } from '../terminal/style.ts';
import type { ChatState } from './chat-state.ts';
import { type ScreenLine, ThreadLineCache } from './thread-lines.ts';

export interface ThreadViewState {
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

/**
 * The first visible line, counted from the first line of its message. It does not move while a reply below it grows, as
 * a distance from the end would.
 */
interface TopLine {
  readonly nodeId: NodeId;
  readonly line: number;
}

export function useThreadView(options: {
  readonly state: ChatState;
  /** Whether the layout is inline. The terminal then scrolls, and this view has no lines. */
  readonly isInline: boolean;
  readonly width: number;
  readonly style: TextStyles;
}): ThreadViewState {
  const { state, isInline, width, style } = options;
  const [top, setTop] = useState<TopLine | null>(null);
  const [focus, setFocus] = useState<NodeId | null>(null);
  const thread = useRef(new ThreadLineCache());
  const lines = useMemo(
    () => (isInline ? [] : thread.current.of(state, width, style, focus)),
    [isInline, state, width, style, focus],
  );
  const topIndexFor = (space: number) => Math.min(findTopLine(lines, top), Math.max(0, lines.length - space));
  const scrollTo = (index: number, space: number) =>
    setTop(index < lines.length - space ? toTopLine(lines, index) : null);

  return {
    focus,
    shown(space) {
      const index = topIndexFor(space);
      return lines.slice(index, index + space);
    },
    scrollPages(pages, space) {
      scrollTo(Math.max(0, topIndexFor(space) - pages * (space - 1)), space);
    },
    moveFocus(step, space) {
      const at = state.nodes.findIndex((node) => node.id === focus);
      const next = state.nodes[at === -1 ? state.nodes.length - 1 : at + step];
      setFocus(next?.id ?? null);
      const line = lines.findIndex((each) => each.nodeId === next?.id);
      if (line !== -1) scrollTo(line, space);
    },
    clearFocus: () => setFocus(null),
    showEnd() {
      setTop(null);
      setFocus(null);
    },
  };
}

/** Returns the index of the first visible line. The end of the thread is shown if the message is no longer in it. */
function findTopLine(lines: readonly ScreenLine[], top: TopLine | null): number {
  const first = top === null ? -1 : lines.findIndex(({ nodeId }) => nodeId === top.nodeId);
  return top === null || first === -1 ? lines.length : Math.max(0, first + top.line);
}

/**
 * Returns the position of a line, counted from the first line of its message. A line above the first message is counted
 * back from it.
 */
function toTopLine(lines: readonly ScreenLine[], index: number): TopLine | null {
  const nodeId = lines.slice(index).find((line) => line.nodeId !== null)?.nodeId;
  return nodeId == null ? null : { nodeId, line: index - lines.findIndex((line) => line.nodeId === nodeId) };
}
