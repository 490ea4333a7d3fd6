import { type LiveReply, type LiveRetry, replySourceOf } from '@coppice/client';
import type { Node, NodeId } from '@coppice/core';
import { type HTMLAttributes, memo, type ReactElement, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { formatCost, formatDateTime, formatNumber, formatTime, t, tn } from '../i18n/index.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { PlainText } from '../markdown/plain.tsx';
import { PreviewContext } from '../markdown/preview-context.ts';
import { stopReply } from '../state/generation.ts';
import { modelColourOf } from '../state/model-colours.ts';
import { openMessage } from '../state/open-message.ts';
import { navigateTo, treeRoute } from '../state/router.ts';
import { switchToVariant } from '../state/tree-actions.ts';
import { openDialog, useUi } from '../state/ui.ts';
import { useMessage, useSession, useStreamingReply, useTree, useVariants } from '../state/use-session.ts';
import { Button } from '../ui/button.tsx';
import { ErrorBoundary } from '../ui/error-boundary.tsx';
import { Icon } from '../ui/icon.tsx';
import { ModelName } from '../ui/model-name.tsx';
import { MessageBlocks, ThinkingView } from './blocks.tsx';
import { BranchRail, type RailMark } from './branch-rail.tsx';
import { EditBox } from './edit-box.tsx';
import { MessageActions } from './message-actions.tsx';
import { ReplyNotices } from './notices.tsx';
import { plainTextOf, type ThreadRow } from './rows.ts';
import { SourceChips } from './source-chips.tsx';
import { MessageStatus } from './status.tsx';
import { useTouchGestures } from './use-touch.ts';
import { VariantSwitch } from './variant-switch.tsx';

function markOf({ node, kind }: ThreadRow): RailMark {
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
  const session = useSession();
  const part = useTree((state) => state.part);
  const { reply: live, isStreaming } = useStreamingReply(node.id);
  const { isUnconfirmed } = useMessage(node.id);
  const { index, ids } = useVariants(node.id);
  const at = index + 1;
  const colours = ids.map((id) => {
    const other = part?.nodes.get(id);
    const model = other === undefined ? null : replySourceOf(other.meta).model;
    return model === null ? null : modelColourOf(model);
  });
  const to = (id: NodeId) => switchToVariant(session, id);
  const classes = ['line', first ? 'first' : '', row.goesOn ? 'goes-on' : ''].filter(Boolean).join(' ');
  return (
    <div className={classes} data-node-id={node.id}>
      <BranchRail
        mark={markOf(row)}
        first={first}
        last={last}
        count={ids.length}
        at={at}
        colours={colours}
        dotted={isUnconfirmed}
        grown={isStreaming || isUnconfirmed}
      />
      {row.kind === 'compaction' ? (
        <Compaction node={node} />
      ) : row.kind === 'brought' ? (
        <MergedNote node={node} />
      ) : (
        <MessageContent row={row} live={live} at={at} ids={ids} onPick={to} last={last} current={current} />
      )}
    </div>
  );
});

interface MessageProps {
  readonly row: ThreadRow;
  readonly live: LiveReply | null;
  readonly at: number;
  readonly ids: readonly NodeId[];
  readonly onPick: (id: NodeId) => void;
  readonly last: boolean;
  readonly current: boolean;
}

function MessageContent({ row, live, at, ids, onPick, last, current }: MessageProps): ReactElement {
  const { node } = row;
  const session = useSession();
  const editing = useUi((ui) => ui.editing === node.id);
  const { bookmark, conflictId: conflict } = useMessage(node.id);
  const marked = bookmark?.title ?? null;
  const you = node.role === 'user';
  const name = you ? t('you') : (replySourceOf(node.meta).model ?? roleName(node));
  const pending = node.status === 'pending';
  const article = useRef<HTMLElement>(null);
  useTouchGestures(article, {
    swipe: ids.length < 2 || editing ? null : (by) => onPick(ids[(at - 1 + by + ids.length) % ids.length] ?? node.id),
    hold: () => {
      if (!editing && !pending) openDialog({ name: 'actions', node });
    },
  });
  const fresh = useFresh(node.id);
  const classes = [
    'msg',
    you ? 'you' : 'ai',
    current ? 'is-current' : '',
    node.meta.excluded === true ? 'left-out' : '',
  ];
  return (
    <article
      ref={article}
      className={[...classes, fresh ? 'switched' : ''].filter(Boolean).join(' ')}
      aria-label={`${name}, ${formatTime(node.createdAt)}`}
      {...focusableProps(node.id)}
    >
      <header>
        <Author node={node} />
        <VariantSwitch ids={ids} at={at} onPick={onPick} />
        {node.groupId > 0 ? <GroupStrip node={node} ids={ids} onPick={onPick} /> : null}
        {marked === null ? null : (
          <span className="chip marked" title={marked}>
            <Icon name="markon" />
            <span className="clip">{marked}</span>
          </span>
        )}
        {node.meta.rating === 'good' || node.meta.rating === 'bad' ? (
          <span className="chip" title={t(node.meta.rating === 'good' ? 'goodReply' : 'badReply')}>
            <Icon name={node.meta.rating === 'good' ? 'goodon' : 'badon'} />
            <span className="sr">{t(node.meta.rating === 'good' ? 'goodReply' : 'badReply')}</span>
          </span>
        ) : null}
        {node.meta.tags?.map((tag) => (
          <span key={tag} className="chip">
            <Icon name="tag" />
            {tag}
          </span>
        ))}
        {editing ? <span className="meta">{t('editing')}</span> : null}
        {pending ? (
          <>
            <Elapsed since={live?.startedAt ?? node.createdAt} />
            <Button small icon="stop" onClick={() => void stopReply(session, node.id)}>
              {t('stop')}
            </Button>
          </>
        ) : (
          <>
            {editing ? null : <MessageActions node={node} />}
            <MessageTime node={node} />
          </>
        )}
      </header>
      {/* On a line of its own: in the header the actions of the message would cover it. */}
      <SourceChips node={node} present={ids} onPick={onPick} />
      {editing ? <EditBox node={node} /> : <MessageBody row={row} live={live} open={last} />}
      <ReplyNotices node={node} />
      {pending ? null : <MessageStatus node={node} conflict={conflict} />}
    </article>
  );
}

const fadeMs = 240;
// How long after a switch messages still fade in: those of a variant may have to be loaded first.
const readMs = 1200;

/** Whether a message appeared because a variant was switched a moment ago. */
function useFresh(id: NodeId): boolean {
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

function roleName(node: Node): string {
  if (node.role === 'system') return t('system');
  return node.role === 'tool' ? t('tool') : t('model');
}

function Author({ node }: { readonly node: Node }): ReactElement {
  if (node.role === 'user') return <span className="who">{t('you')}</span>;
  const { model } = replySourceOf(node.meta);
  return model === null ? <span className="who">{roleName(node)}</span> : <ModelName model={model} />;
}

function MessageTime({ node }: { readonly node: Node }): ReactElement {
  const { outputTokens, cost, totalMs, temperature } = replySourceOf(node.meta);
  const facts = [
    formatDateTime(node.createdAt),
    totalMs === null ? null : `${formatNumber(Math.round(totalMs / 100) / 10)} s`,
    outputTokens === null ? null : tn('tokens', outputTokens),
    cost === null ? null : formatCost(cost, 4),
    temperature === null ? null : t('temperatureIs', { value: String(temperature) }),
  ].filter((fact) => fact !== null);
  return (
    <time className="meta" dateTime={new Date(node.createdAt).toISOString()} title={facts.join('\n')}>
      {formatTime(node.createdAt)}
    </time>
  );
}

function Elapsed({ since }: { readonly since: number }): ReactElement {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return <span className="meta end num">{formatNumber(Math.max(0, Math.round((now - since) / 1000)))} s</span>;
}

/** Shows why a reply waits: the provider's error, the time of the next attempt, and the number of attempts. */
function RetryLine({ retry }: { readonly retry: LiveRetry }): ReactElement {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const { code, attempt, retries, at } = retry;
  const reason =
    code === 'provider/rate-limited'
      ? t('retryRateLimited')
      : code === 'provider/overloaded'
        ? t('retryOverloaded')
        : t('retryFailed');
  const left = Math.max(0, Math.ceil((at - now) / 1000));
  return (
    <p className="retry-line" title={retry.message}>
      {reason} {t('retryWhen', { n: left, attempt, retries })}
    </p>
  );
}

function GroupStrip({
  node,
  ids,
  onPick,
}: {
  readonly node: Node;
  readonly ids: readonly NodeId[];
  readonly onPick: (id: NodeId) => void;
}): ReactElement | null {
  const session = useSession();
  const part = useTree((state) => state.part);
  const others = ids
    .map((id) => part?.nodes.get(id))
    .filter((other) => other !== undefined && other.groupId === node.groupId && other.id !== node.id)
    .map((other) => ({ id: other?.id, model: other === undefined ? null : replySourceOf(other.meta).model }));
  const named = others.filter((other) => other.model !== null && other.model !== replySourceOf(node.meta).model);
  if (others.length === 0) return null;
  return (
    <>
      <span className="group-strip">
        {named.map(({ id, model }) => (
          <button
            key={id}
            type="button"
            className={`model ${modelColourOf(model ?? '')}`}
            onClick={() => (id === undefined ? undefined : onPick(id))}
          >
            {model}
          </button>
        ))}
      </span>
      <Button
        small
        look="quiet"
        icon="compare"
        className="side desk-only"
        title={t('sideBySide')}
        onClick={() => navigateTo(treeRoute(session.treeId, { screen: 'compare', nodeId: node.id }))}
      >
        {t('sideBySide')}
      </Button>
    </>
  );
}

function MessageBody({
  row,
  live,
  open: opened,
}: {
  readonly row: ThreadRow;
  readonly live: LiveReply | null;
  readonly open: boolean;
}): ReactElement {
  const { node } = row;
  if (node.status === 'pending') return <LiveBody node={node} live={live} />;
  const empty = node.message === null || (node.message.content.length === 0 && plainTextOf(node.message) === '');
  return (
    <div className="body">
      {empty || node.message === null ? null : (
        <ErrorBoundary of={node.message} fallback={<PlainText text={node.text} />}>
          <PreviewContext value={(code) => void showPreview(node, code)}>
            <MessageBlocks message={node.message} results={row.results} open={opened} />
          </PreviewContext>
        </ErrorBoundary>
      )}
    </div>
  );
}

async function showPreview(node: Node, code: string): Promise<void> {
  const { previewablesOf } = await import('../preview/previewable.ts');
  const index = previewablesOf(node.message).findIndex((block) => block.code === code);
  useUi.setState({ preview: { nodeId: node.id, index: Math.max(0, index) } });
}

function LiveBody({ node, live }: { readonly node: Node; readonly live: LiveReply | null }): ReactElement {
  // A continued reply has text already; new text is appended.
  const before = plainTextOf(node.message);
  const text = live === null ? before : live.text.startsWith(before) ? live.text : before + live.text;
  return (
    <div className="body" aria-busy="true">
      {live !== null && live.thinking !== '' ? <ThinkingView text={live.thinking} live={text === ''} /> : null}
      {live?.retry === undefined ? null : <RetryLine retry={live.retry} />}
      <Markdown text={text} growing />
      <span className="caret" role="presentation" />
    </div>
  );
}

/** Makes a row focusable by keyboard; a focused row becomes the current message. */
function focusableProps(id: NodeId): Pick<HTMLAttributes<HTMLElement>, 'tabIndex' | 'onFocus'> {
  return { tabIndex: -1, onFocus: () => useUi.setState({ current: id }) };
}

function Compaction({ node }: { readonly node: Node }): ReactElement {
  const [shown, setShown] = useState(false);
  const session = useSession();
  const before = node.marker?.tokensBefore;
  return (
    <aside className="marker-box" aria-label={t('compaction')} {...focusableProps(node.id)}>
      <div className="marker">
        <span>{t('aboveSummary')}</span>
        {before === undefined ? null : (
          <span className="dim num">{t('tokensFromTo', { from: before, to: node.tokens })}</span>
        )}
        <Button small look="quiet" aria-expanded={shown} onClick={() => setShown(!shown)}>
          {shown ? t('fold') : t('showSummary')}
        </Button>
        <Button small look="quiet" onClick={() => navigateTo(treeRoute(session.treeId, { screen: 'context' }))}>
          {t('context')}
        </Button>
      </div>
      {shown ? (
        <div className="body marker-text">
          {node.message === null ? null : <MessageBlocks message={node.message} />}
        </div>
      ) : null}
    </aside>
  );
}

function MergedNote({ node }: { readonly node: Node }): ReactElement {
  const session = useSession();
  const from = node.marker?.mergedFrom?.nodeId ?? node.marker?.from;
  const there = useTree((state) =>
    from === undefined
      ? null
      : (state.topology?.bookmarks.get(from)?.title ?? state.topology?.nodes.get(from)?.preview ?? null),
  );
  return (
    <aside className="brought" aria-label={t('mergedFrom')} {...focusableProps(node.id)}>
      <div className="grow">
        <h3>
          <Icon name="merge" />
          {t('mergedFrom')}{' '}
          {from === undefined ? null : (
            <button type="button" className="from" onClick={() => openMessage(session, from)}>
              {there ?? t('thatBranch')}
            </button>
          )}
          <button
            type="button"
            className="ib end"
            aria-label={t('delete')}
            title={t('delete')}
            onClick={() => openDialog({ name: 'delete', node })}
          >
            <Icon name="trash" />
          </button>
        </h3>
        <div className="body">{node.message === null ? null : <MessageBlocks message={node.message} />}</div>
      </div>
    </aside>
  );
}
