import { replySourceOf } from '@coppice/client';
import type { Node, NodeId } from '@coppice/core';
import { memo, type ReactElement, type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { formatTime } from '../i18n/index.ts';
import { modelColourOf } from '../state/model-colours.ts';
import { switchToVariant } from '../state/tree-actions.ts';
import { openDialog, useUi } from '../state/ui.ts';
import { useMessage, useSession, useStreamingReply, useTree, useVariants } from '../state/use-session.ts';
import { BranchRail, type BranchRailMark } from './branch-rail.tsx';
import { EditBox } from './edit-box.tsx';
import { getMessageFocusProps } from './focus-message.ts';
import { CompactionRow, MergedBranchRow } from './marker-rows.tsx';
import { MessageBody } from './message-body.tsx';
import { MessageHeader, nameOfAuthor } from './message-header.tsx';
import { ReplyNotices } from './notices.tsx';
import type { ThreadRow } from './rows.ts';
import { SourceChips } from './source-chips.tsx';
import { MessageStatus } from './status.tsx';
import { useTouchGestures } from './use-touch.ts';

function markOf({ node, kind }: ThreadRow): BranchRailMark {
  if (kind !== 'message') return 'sum';
  if (node.status === 'pending') return 'tip';
  if (node.status === 'interrupted' || node.status === 'aborted') return 'cut';
  if (node.status === 'error') return 'error';
  if (node.role === 'tool') return 'tool';
  return node.role === 'user' ? 'you' : 'ai';
}

interface MessageRowProps {
  readonly row: ThreadRow;
  readonly first: boolean;
  readonly last: boolean;
  readonly current: boolean;
}

/** One row of the thread with its part of the rail. */
export const MessageRow = memo(function MessageRow({ row, first, last, current }: MessageRowProps): ReactElement {
  const { node } = row;
  const classes = ['line', first ? 'first' : '', row.goesOn ? 'goes-on' : ''].filter(Boolean).join(' ');
  return (
    <div className={classes} data-node-id={node.id}>
      <RowRail row={row} first={first} last={last} />
      {row.kind === 'compaction' ? (
        <CompactionRow node={node} />
      ) : row.kind === 'brought' ? (
        <MergedBranchRow node={node} />
      ) : (
        <MessageArticle row={row} last={last} current={current} />
      )}
    </div>
  );
});

/** The part of the rail beside a row: its mark, and its variants in the colours of their models. */
function RowRail({ row, first, last }: Omit<MessageRowProps, 'current'>): ReactElement {
  const { node } = row;
  const part = useTree((state) => state.part);
  const { isStreaming } = useStreamingReply(node.id);
  const { isUnconfirmed } = useMessage(node.id);
  const { index, ids } = useVariants(node.id);
  const colours = ids.map((id) => {
    const variant = part?.nodes.get(id);
    const model = variant === undefined ? null : replySourceOf(variant.meta).model;
    return model === null ? null : modelColourOf(model);
  });
  return (
    <BranchRail
      mark={markOf(row)}
      first={first}
      last={last}
      count={ids.length}
      at={index + 1}
      colours={colours}
      dotted={isUnconfirmed}
      grown={isStreaming || isUnconfirmed}
    />
  );
}

function MessageArticle({ row, last, current }: Omit<MessageRowProps, 'first'>): ReactElement {
  const { node } = row;
  const session = useSession();
  const editing = useUi((ui) => ui.editing === node.id);
  const { conflictId } = useMessage(node.id);
  const { reply: live } = useStreamingReply(node.id);
  const { ids } = useVariants(node.id);
  const article = useRef<HTMLElement>(null);
  useMessageGestures(article, node, editing);
  const switched = useJustSwitched(node.id);
  const classes = [
    'msg',
    node.role === 'user' ? 'you' : 'ai',
    current ? 'is-current' : '',
    node.meta.excluded === true ? 'left-out' : '',
    switched ? 'switched' : '',
  ];
  return (
    <article
      ref={article}
      className={classes.filter(Boolean).join(' ')}
      aria-label={`${nameOfAuthor(node)}, ${formatTime(node.createdAt)}`}
      {...getMessageFocusProps(node.id)}
    >
      <MessageHeader node={node} live={live} editing={editing} />
      {/* On a line of its own: in the header the actions of the message would cover it. */}
      <SourceChips node={node} present={ids} onPick={(id) => switchToVariant(session, id)} />
      {editing ? <EditBox node={node} /> : <MessageBody row={row} live={live} open={last} />}
      <ReplyNotices node={node} />
      {node.status === 'pending' ? null : <MessageStatus node={node} conflict={conflictId} />}
    </article>
  );
}

/** On a touch screen a swipe shows the next variant, and a long press opens the actions. */
function useMessageGestures(article: RefObject<HTMLElement | null>, node: Node, editing: boolean): void {
  const session = useSession();
  const { index, count, ids } = useVariants(node.id);
  useTouchGestures(article, {
    swipe: count < 2 || editing ? null : (by) => switchToVariant(session, ids[(index + by + count) % count] ?? node.id),
    hold: () => {
      if (!editing && node.status !== 'pending') openDialog({ name: 'actions', node });
    },
  });
}

const fadeMs = 240;
// Messages that appear within this time after a switch fade in. It includes the time to load a variant.
const readMs = 1200;

/** Whether a message appeared because a variant was switched a moment ago. */
function useJustSwitched(id: NodeId): boolean {
  const [shown, setShown] = useState<{ readonly id: NodeId; readonly fresh: boolean } | null>(null);
  useLayoutEffect(() => {
    const fresh = performance.now() - useUi.getState().switchedAt < readMs;
    setShown({ id, fresh });
    if (!fresh) return;
    const timer = setTimeout(() => setShown({ id, fresh: false }), fadeMs);
    return () => clearTimeout(timer);
  }, [id]);
  return shown !== null && shown.id === id && shown.fresh;
}
