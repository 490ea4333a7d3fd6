import { replySourceOf } from '@coppice/client';
import { type ReactElement, useEffect, useMemo, useRef, useState } from 'react';
import { Virtualizer } from 'virtua';
import { t } from '../i18n/index.ts';
import { useUi } from '../state/ui.ts';
import { useBranch, useTree } from '../state/use-session.ts';
import { Icon } from '../ui/icon.tsx';
import { EmptyListDrawing } from '../ui/logo.tsx';
import { usePrinting } from '../ui/use-printing.ts';
import { MessageRow } from './message-row.tsx';
import { buildThreadRows } from './rows.ts';
import { SystemPromptRow } from './system-prompt-row.tsx';
import { useThreadScroll } from './use-thread-scroll.ts';

/** The thread: the branch of this view with its rail. Only visible rows are rendered. */
export function ThreadView(): ReactElement {
  const { messages, hasOlder, hasNewer } = useBranch();
  const loaded = useTree((state) => state.part !== null);
  const isGrowing = useTree((state) => state.live.size > 0);
  const current = useUi((ui) => ui.current);
  const rows = useMemo(() => buildThreadRows(messages), [messages]);
  const { scroll, list, onScroll, shift, hasNewBelow, showEnd } = useThreadScroll(rows);
  const isPrinting = usePrinting();
  const count = rows.length;
  const shown = rows.map((row, index) => (
    <MessageRow
      key={row.node.parentId ?? row.node.id}
      row={row}
      first={index === 0 && loaded && !hasOlder}
      last={index === count - 1 && !hasNewer}
      current={row.node.id === current}
    />
  ));
  if (loaded && count === 0) return <Empty />;
  return (
    <div className="scroll-box">
      {/* The layout of a printed page scrolls to the top, which must not load older messages. */}
      <div className="scroll" ref={scroll} onScroll={isPrinting ? undefined : onScroll} data-testid="thread">
        <section className="thread" aria-label={t('thread')} aria-busy={isGrowing}>
          {loaded && !hasOlder && count > 0 ? <SystemPromptRow /> : null}
          {isPrinting ? (
            <>
              {hasOlder || hasNewer ? <p className="dim">{t('printedPart')}</p> : null}
              {shown}
            </>
          ) : (
            <Virtualizer ref={list} scrollRef={scroll} shift={shift} bufferSize={600}>
              {shown}
            </Virtualizer>
          )}
        </section>
      </div>
      <AnsweredNote />
      {hasNewBelow || hasNewer ? (
        <button type="button" className="btn below" onClick={showEnd}>
          <Icon name="down" />
          {t(hasNewBelow ? 'newBelow' : 'toBranchEnd')}
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
        <SystemPromptRow />
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
