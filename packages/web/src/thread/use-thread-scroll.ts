/** Scrolls the thread: follows new text at the end, and keeps the position of what the user reads. */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { VirtualizerHandle } from 'virtua';
import { useUi } from '../state/ui.ts';
import { useBranch, useSession, useTree } from '../state/use-session.ts';
import type { ThreadRow } from './rows.ts';

// If the view is closer to the end than this, in pixels, the thread follows new text.
const nearEnd = 80;
// A scroll within this time after a wheel, touch or key event is by the user.
const userScrollMs = 1000;
// If the view is closer to the top than this, in pixels, older messages are loaded.
const nearTop = 600;

/** The end of the last row, in scroll pixels. */
function contentEnd(element: HTMLElement): number {
  // The list follows the row of the system prompt.
  const list = element.firstElementChild?.lastElementChild;
  return list instanceof HTMLElement ? list.offsetTop + list.offsetHeight : element.scrollHeight;
}

/** Whether a part of the content is below the visible part. */
function hasMoreBelow(element: HTMLElement): boolean {
  return contentEnd(element) > element.scrollTop + element.clientHeight;
}

/** Sets a minimum height, so that the rows above do not move when a shorter branch is shown; 0 removes it. */
function keepHeight(element: HTMLElement, depth: number): void {
  const content = element.firstElementChild;
  if (content instanceof HTMLElement) content.style.minHeight = depth === 0 ? '' : `${depth}px`;
}

/** Whether a row was replaced by a variant; additions or deletions at the end do not count. */
function isSwitched(before: readonly ThreadRow[], after: readonly ThreadRow[]): boolean {
  const at = after.findIndex((row, index) => before[index] !== undefined && row.node.id !== before[index].node.id);
  const [old, now] = [before[at], after[at]];
  return old !== undefined && now !== undefined && old.node.parentId === now.node.parentId;
}

/** Decides whether the thread scrolls by itself. It changes between renders, so it is not React state. */
interface ScrollState {
  /** Whether the thread follows new text. */
  followsEnd: boolean;
  /** The time of the user's last wheel, touch or key event, in milliseconds of `performance.now()`. */
  touchedAt: number;
  /** The position and the end of the content after the last scroll, in pixels. */
  top: number;
  end: number;
  /** Whether a requested message keeps its position. Until rows are measured, every row seems to be at the end. */
  isAtRequested: boolean;
}

/** The scrolling of a thread: the refs and props of its elements. */
export interface ThreadScroll {
  readonly scroll: RefObject<HTMLDivElement | null>;
  readonly list: RefObject<VirtualizerHandle | null>;
  readonly onScroll: () => void;
  /** Whether rows were added above in this render; the virtual list then keeps the visible ones in place. */
  readonly shift: boolean;
  /** Whether new text arrived below the visible part. */
  readonly hasNewBelow: boolean;
  /** Scrolls to the end of the branch, and follows it from then on. */
  showEnd(): void;
}

/** Follows the end of a thread until the user scrolls away, and keeps visible messages in place when rows change. */
export function useThreadScroll(rows: readonly ThreadRow[]): ThreadScroll {
  const session = useSession();
  const { hasNewer } = useBranch();
  const scroll = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const state = useRef<ScrollState>({
    followsEnd: true,
    touchedAt: -userScrollMs,
    top: 0,
    end: 0,
    isAtRequested: false,
  }).current;
  const [hasNewBelow, setNewBelow] = useState(false);
  const shift = useRowsAddedAbove(rows);
  const scrollToEnd = useCallback(() => {
    const element = scroll.current;
    if (element === null) return;
    keepHeight(element, 0);
    element.scrollTop = element.scrollHeight;
    notePosition(state, element);
    keepHeight(element, element.scrollTop + element.clientHeight);
  }, [state]);
  useFollowedRows(rows, state, scroll, scrollToEnd, setNewBelow);
  useMeasuredRows(state, scroll, scrollToEnd, setNewBelow);
  useRequestedMessage(rows, state, list);
  const onScroll = () => {
    const element = scroll.current;
    if (element === null) return;
    const bottom = element.scrollTop + element.clientHeight;
    const gap = contentEnd(element) - bottom;
    if (hasNewer) {
      // In the middle of a long branch the thread does not follow: the last loaded row is not the end.
      state.followsEnd = false;
      if (gap < nearTop) void session.loadNewer();
    } else decideToFollow(state, element, gap);
    notePosition(state, element);
    keepHeight(element, bottom);
    if (state.followsEnd) setNewBelow(false);
    if (element.scrollTop < nearTop) void session.loadOlder();
  };
  const showEnd = () => {
    state.followsEnd = true;
    setNewBelow(false);
    // The end is loaded first, then scrolled to.
    if (hasNewer) session.showEnd();
    else scrollToEnd();
  };
  return { scroll, list, onScroll, shift, hasNewBelow, showEnd };
}

function notePosition(state: ScrollState, element: HTMLElement): void {
  state.top = element.scrollTop;
  state.end = contentEnd(element);
}

/** Decides after a scroll whether the thread follows new text; `gap` is the distance to the end in pixels. */
function decideToFollow(state: ScrollState, element: HTMLElement, gap: number): void {
  // Only a scroll by the user leaves the end: rows that are measured after rendering change the position too, and
  // reserved empty space is not content.
  const isByUser = performance.now() - state.touchedAt < userScrollMs;
  if (isByUser) state.isAtRequested = false;
  // The scroll bar, the search of the browser and assistive programs scroll without an event on the thread, but the
  // rows keep their sizes.
  const isUpwards = element.scrollTop < state.top && contentEnd(element) === state.end;
  if (gap >= nearEnd) state.followsEnd &&= !isByUser && !isUpwards;
  else if (!state.isAtRequested) state.followsEnd ||= gap > -nearEnd || element.scrollTop === 0;
}

/** Returns whether rows were added above. They must not move the visible ones, so the list must know in this render. */
function useRowsAddedAbove(rows: readonly ThreadRow[]): boolean {
  const firstId = useRef<string | null>(null);
  const first = rows[0]?.node.id ?? null;
  const isAdded =
    firstId.current !== null && first !== firstId.current && rows.some((row) => row.node.id === firstId.current);
  useLayoutEffect(() => {
    firstId.current = first;
  }, [first]);
  return isAdded;
}

/** Follows new rows and new text, or reports that there is new text below. */
function useFollowedRows(
  rows: readonly ThreadRow[],
  state: ScrollState,
  scroll: RefObject<HTMLDivElement | null>,
  scrollToEnd: () => void,
  setNewBelow: (hasNewBelow: boolean) => void,
): void {
  const { hasNewer } = useBranch();
  const growing = useTree((tree) => tree.live);
  const unconfirmed = useTree((tree) => tree.unconfirmed);
  const before = useRef<readonly ThreadRow[]>([]);
  useLayoutEffect(() => {
    // A message whose variant was switched keeps its position, however long the new branch is.
    if (isSwitched(before.current, rows)) {
      state.followsEnd = false;
      // The press that switched the variant is not a scroll. While the new rows are measured, their end may pass the
      // view. That must not count as being at the end, or the thread would jump there.
      if (growing.size === 0) {
        state.isAtRequested = true;
        state.touchedAt = -userScrollMs;
      }
    }
    before.current = rows;
    // The thread always scrolls to a new message of the user.
    const last = rows.at(-1)?.node.id;
    if (last !== undefined && unconfirmed.has(last)) state.followsEnd = true;
    if (hasNewer) state.followsEnd = false;
    else if (state.followsEnd && rows.length > 0) scrollToEnd();
    else if (growing.size > 0) setNewBelow(scroll.current !== null && hasMoreBelow(scroll.current));
  }, [growing, rows, unconfirmed, hasNewer, state, scroll, scrollToEnd, setNewBelow]);
}

/** Follows the end while rows are measured, which happens after the first render, and while images load. */
function useMeasuredRows(
  state: ScrollState,
  scroll: RefObject<HTMLDivElement | null>,
  scrollToEnd: () => void,
  setNewBelow: (hasNewBelow: boolean) => void,
): void {
  useEffect(() => {
    const element = scroll.current;
    const inside = element?.firstElementChild;
    if (element === null || inside === null || inside === undefined) return;
    const observer = new ResizeObserver(() => {
      if (state.followsEnd) scrollToEnd();
      else if (!hasMoreBelow(element)) setNewBelow(false);
    });
    observer.observe(inside);
    observer.observe(element);
    const touch = () => {
      state.touchedAt = performance.now();
    };
    // Focus events count too: an element that gets the focus with Tab must not be scrolled away.
    const kinds = ['wheel', 'touchmove', 'keydown', 'pointerdown', 'focusin'] as const;
    for (const kind of kinds) element.addEventListener(kind, touch, { passive: true });
    return () => {
      observer.disconnect();
      for (const kind of kinds) element.removeEventListener(kind, touch);
    };
  }, [state, scroll, scrollToEnd, setNewBelow]);
}

/** Scrolls to the message that `session.scrollTo` requested, as soon as it is loaded. */
function useRequestedMessage(
  rows: readonly ThreadRow[],
  state: ScrollState,
  list: RefObject<VirtualizerHandle | null>,
): void {
  const scrollTarget = useTree((tree) => tree.scrollTarget);
  const handled = useRef(0);
  useEffect(() => {
    if (scrollTarget === null || scrollTarget.requests === handled.current) return;
    const index = rows.findIndex((row) => row.node.id === scrollTarget.nodeId || row.end === scrollTarget.nodeId);
    if (index < 0) return;
    handled.current = scrollTarget.requests;
    state.followsEnd = false;
    state.isAtRequested = true;
    useUi.setState({ current: scrollTarget.nodeId });
    list.current?.scrollToIndex(index, { align: 'start', offset: -24 });
  }, [scrollTarget, rows, state, list]);
}
