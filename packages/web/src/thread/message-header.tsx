/** The line above a message: author, variants, bookmark, rating, tags, actions and time. */
import { type LiveReply, replySourceOf } from '@coppice/client';
import type { Node } from '@coppice/core';
import { type ReactElement, useEffect, useState } from 'react';
import { formatCost, formatDateTime, formatNumber, formatTime, t, tn } from '../i18n/index.ts';
import { stopReply } from '../state/generation.ts';
import { modelColourOf } from '../state/model-colours.ts';
import { navigateTo, treeRoute } from '../state/router.ts';
import { switchToVariant } from '../state/tree-actions.ts';
import { useMessage, useSession, useTree, useVariants } from '../state/use-session.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { ModelName } from '../ui/model-name.tsx';
import { MessageActions } from './message-actions.tsx';
import { replyStartOf } from './reply-start.ts';
import { VariantSwitch } from './variant-switch.tsx';

interface MessageHeaderProps {
  readonly node: Node;
  readonly live: LiveReply | null;
  readonly editing: boolean;
}

/** The header of a message. A pending reply has its duration and a stop button instead of actions. */
export function MessageHeader({ node, live, editing }: MessageHeaderProps): ReactElement {
  const session = useSession();
  return (
    <header>
      <span className="lead">
        <Author node={node} />
        <VariantSwitch nodeId={node.id} />
        {node.groupId > 0 ? <GroupStrip node={node} /> : null}
        <MessageMarks node={node} />
        {editing ? <span className="meta">{t('editing')}</span> : null}
      </span>
      {node.status === 'pending' ? (
        <>
          <Elapsed since={replyStartOf(node, live)} />
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
  );
}

/** The name of a message's author, for screen readers and in place of a model. */
export function nameOfAuthor(node: Node): string {
  if (node.role === 'user') return t('you');
  return replySourceOf(node.meta).model ?? roleName(node);
}

/** The bookmark, the rating and the tags that the user gave a message. */
function MessageMarks({ node }: { readonly node: Node }): ReactElement {
  const { bookmark } = useMessage(node.id);
  const { rating } = node.meta;
  const ratingText = rating === 'good' ? t('goodReply') : t('badReply');
  return (
    <>
      {bookmark === null ? null : (
        <span className="chip marked" title={bookmark.title}>
          <Icon name="markon" />
          <span className="clip">{bookmark.title}</span>
        </span>
      )}
      {rating === 'good' || rating === 'bad' ? (
        <span className="chip" title={ratingText}>
          <Icon name={rating === 'good' ? 'goodon' : 'badon'} />
          <span className="sr">{ratingText}</span>
        </span>
      ) : null}
      {node.meta.tags?.map((tag) => (
        <span key={tag} className="chip">
          <Icon name="tag" />
          {tag}
        </span>
      ))}
    </>
  );
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

/** The other replies to the same message: their models, and a button that compares them. */
function GroupStrip({ node }: { readonly node: Node }): ReactElement | null {
  const session = useSession();
  const { ids } = useVariants(node.id);
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
            onClick={() => (id === undefined ? undefined : switchToVariant(session, id))}
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
