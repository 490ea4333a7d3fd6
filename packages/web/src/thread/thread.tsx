import { replySourceOf } from '@coppice/client';
import { type ReactElement, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { t } from '../i18n/index.ts';
import { useUi } from '../state/ui.ts';
import { useBranch, useSession, useTree } from '../state/use-session.ts';
import { Icon } from '../ui/icon.tsx';
import { EmptyListDrawing } from '../ui/logo.tsx';
import { MessageRow } from './message-row.tsx';
import { PromptRow } from './prompt-row.tsx';
import { buildThreadRows, type ThreadRow } from './rows.ts';

// If the view is closer to the end than this, in pixels, the thread follows new text.
const nearEnd = 80;
// A scroll within this time after a wheel, touch or key event is by the user.
const handMs = 1000;
// If the view is closer to the top than this, in pixels, older messages are loaded.
const nearTop = 600;

/** The end of the last row, in scroll pixels. */
function contentEnd(element: HTMLElement): number {
  const list = element.firstElementChild?.firstElementChild;
  return list instanceof HTMLElement ? list.offsetTop + list.offsetHeight : element.scrollHeight;
}

/** Whether there is more below the visible part. */
function goesOn(element: HTMLElement): boolean {
  return contentEnd(element) > element.scrollTop + element.clientHeight;
}

/** Keeps the content height, so that a shorter branch does not move what is above. */
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

/** The thread: the branch of this view with its rail. Only visible rows are rendered. */
export function ThreadView(): ReactElement {
  const session = useSession();
  const { messages, hasOlder, hasNewer } = useBranch();
  const loaded = useTree((state) => state.part !== null);
  const sight = useTree((state) => state.sight);
  const growing = useTree((state) => state.live);
  const unconfirmed = useTree((state) => state.unconfirmed);
  const current = useUi((ui) => ui.current);
  const rows = useMemo(() => buildThreadRows(messages), [messages]);
  const scroll = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const atEnd = useRef(true);
  const seen = useRef(0);
  const touched = useRef(-handMs);
  const sought = useRef(false);
  const before = useRef<readonly ThreadRow[]>([]);
  const firstId = useRef<string | null>(null);
  const [below, setBelow] = useState(false);
  const count = rows.length;
  // In the middle of a long branch the thread does not follow: the last loaded row is not the end.
  const midst = hasNewer;
  // Rows that are added above must not move the visible ones, so the list gets their number in the same render.
  const first = rows[0]?.node.id ?? null;
  const shift =
    firstId.current !== null && first !== firstId.current && rows.some((row) => row.node.id === firstId.current);
  useLayoutEffect(() => {
    firstId.current = first;
  }, [first]);

  const toEnd = useCallback(() => {
    const element = scroll.current;
    if (element === null) return;
    keepHeight(element, 0);
    element.scrollTop = element.scrollHeight;
    keepHeight(element, element.scrollTop + element.clientHeight);
  }, []);

  useLayoutEffect(() => {
    // If a message further down was switched, it keeps its position, whatever follows it.
    if (isSwitched(before.current, rows)) {
      atEnd.current = false;
      // The press that switched the variant is not a scroll. While the new rows are measured, their end may pass the
      // view. That must not count as being at the end, or the thread would jump there.
      if (growing.size === 0) {
        sought.current = true;
        touched.current = -handMs;
      }
    }
    before.current = rows;
    // The thread always scrolls to a new message of the user.
    const last = rows.at(-1)?.node.id;
    if (last !== undefined && unconfirmed.has(last)) atEnd.current = true;
    if (midst) atEnd.current = false;
    else if (atEnd.current && rows.length > 0) toEnd();
    else if (growing.size > 0) setBelow(scroll.current !== null && goesOn(scroll.current));
  }, [growing, rows, unconfirmed, midst, toEnd]);

  // Rows are measured after the first render, and images load later.
  useEffect(() => {
    const element = scroll.current;
    const inside = element?.firstElementChild;
    if (element === null || inside === null || inside === undefined) return;
    const observer = new ResizeObserver(() => {
      if (atEnd.current) toEnd();
      else if (!goesOn(element)) setBelow(false);
    });
    observer.observe(inside);
    observer.observe(element);
    const hand = () => {
      touched.current = performance.now();
    };
    // Focus events count too: an element that gets the focus with Tab must not be scrolled away.
    const kinds = ['wheel', 'touchmove', 'keydown', 'pointerdown', 'focusin'] as const;
    for (const kind of kinds) element.addEventListener(kind, hand, { passive: true });
    return () => {
      observer.disconnect();
      for (const kind of kinds) element.removeEventListener(kind, hand);
    };
  }, [toEnd]);

  useEffect(() => {
    if (sight === null || sight.ask === seen.current) return;
    const index = rows.findIndex((row) => row.node.id === sight.nodeId || row.end === sight.nodeId);
    if (index < 0) return;
    seen.current = sight.ask;
    atEnd.current = false;
    sought.current = true;
    useUi.setState({ current: sight.nodeId });
    list.current?.scrollToIndex(index, { align: 'start', offset: -24 });
  }, [sight, rows]);

  const onScroll = () => {
    const element = scroll.current;
    if (element === null) return;
    const seen = element.scrollTop + element.clientHeight;
    const gap = contentEnd(element) - seen;
    // Only a scroll by the user leaves the end: rows that are measured after rendering change the position too, and
    // reserved empty space is not content.
    if (midst) {
      atEnd.current = false;
      if (gap < nearTop) void session.loadNewer();
    } else {
      const byHand = performance.now() - touched.current < handMs;
      // A requested message keeps its position: until rows are measured, all of them seem to be at the end.
      if (byHand) sought.current = false;
      if (gap >= nearEnd) atEnd.current &&= !byHand;
      else if (!sought.current) atEnd.current ||= gap > -nearEnd || element.scrollTop === 0;
    }
    keepHeight(element, seen);
    if (atEnd.current) setBelow(false);
    if (element.scrollTop < nearTop) void session.loadOlder();
  };

  if (loaded && count === 0) return <Empty />;
  return (
    <div className="scroll-box">
      <div className="scroll" ref={scroll} onScroll={onScroll} data-testid="thread">
        <section className="thread" aria-label={t('thread')} aria-busy={growing.size > 0}>
          {loaded && !hasOlder && count > 0 ? <PromptRow /> : null}
          <Virtualizer ref={list} scrollRef={scroll} shift={shift} bufferSize={600}>
            {rows.map((row, index) => (
              <MessageRow
                key={row.node.parentId ?? row.node.id}
                row={row}
                first={index === 0 && loaded && !hasOlder}
                last={index === count - 1 && !midst}
                current={row.node.id === current}
              />
            ))}
          </Virtualizer>
        </section>
      </div>
      <AnsweredNote />
      {below || midst ? (
        <button
          type="button"
          className="btn below"
          onClick={() => {
            atEnd.current = true;
            setBelow(false);
            // The end is loaded first, then scrolled to.
            if (midst) session.showEnd();
            else toEnd();
          }}
        >
          <Icon name="down" />
          {t(below ? 'newBelow' : 'toBranchEnd')}
        </button>
      ) : null}
    </div>
  );
}

function Empty(): ReactElement {
  return (
    <div className="scroll">
      <div className="empty">
        <EmptyListDrawing />
        <h2>{t('firstQuestion')}</h2>
        <p>{t('firstQuestionHint')}</p>
        <PromptRow />
      </div>
    </div>
  );
}

/** Tells screen reader users that a reply is complete; its text is in the thread. */
function AnsweredNote(): ReactElement {
  const growing = useTree((state) => state.live);
  const nodes = useTree((state) => state.base?.nodes ?? null);
  const before = useRef(growing);
  const [said, setSaid] = useState('');
  useEffect(() => {
    for (const id of before.current.keys()) {
      const node = growing.has(id) ? undefined : nodes?.get(id);
      if (node === undefined) continue;
      const name = replySourceOf(node.meta).model ?? t('model');
      setSaid(
        node.status === 'success' ? t('answered', { name }) : t(node.status === 'error' ? 'noAnswer' : 'interrupted'),
      );
    }
    // A screen reader ignores a repeated text, so it is cleared in between.
    if (growing.size > 0) setSaid('');
    before.current = growing;
  }, [growing, nodes]);
  return (
    <div className="sr" role="status">
      {said}
    </div>
  );
}
