import { type LoadedBranch, replyErrorOf, replySourceOf } from '@coppice/client';
import { type Node, type NodeId, textMessage } from '@coppice/core';
import { type ReactElement, useCallback, useEffect, useRef, useState } from 'react';
import { t, tn } from '../i18n/index.ts';
import { currentGenerationOptions } from '../state/chat-options.ts';
import { continueReply, generateReplyTo, regenerateReply, sendMessage } from '../state/generation.ts';
import { navigateTo, treeRoute } from '../state/router.ts';
import { useSession, useTree } from '../state/use-session.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { ReceivedErrorText } from '../ui/translated-text.tsx';
import { plainTextOf } from './rows.ts';

function countWords(text: string): number {
  return text.split(/\s+/).filter(Boolean).length;
}

/** The status line of a message that was cut off, failed, or was written concurrently with another. */
export function MessageStatus({
  node,
  conflict,
}: {
  readonly node: Node;
  readonly conflict: NodeId | null;
}): ReactElement | null {
  const session = useSession();
  const again = () => void regenerateReply(session, node.id, currentGenerationOptions({ n: 1 }));
  if (node.status === 'interrupted' || node.status === 'aborted')
    return (
      <div className="status cut" role="status">
        <Icon name="cut" />
        <p>
          <b>{node.status === 'aborted' ? t('stopped') : t('interrupted')}</b>{' '}
          {tn('afterWords', countWords(plainTextOf(node.message)))}
        </p>
        <Button small icon="again" onClick={again}>
          {t('again')}
        </Button>
        <Button small look="primary" onClick={() => void continueReply(session, node, currentGenerationOptions())}>
          {t('continue')}
        </Button>
      </div>
    );
  if (node.status === 'error') return <Failed node={node} />;
  if (conflict === null && replySourceOf(node.meta).finishReason === 'length') return <LengthReached node={node} />;
  if (conflict === null) return <Unanswered node={node} />;
  return (
    <div className="status cut" role="status">
      <Icon name="fork" />
      <p>
        <b>{t('alsoEdited')}</b> {t('bothHere')}
      </p>
      <Button
        small
        icon="compare"
        onClick={() => navigateTo(treeRoute(session.treeId, { screen: 'compare', a: conflict, b: node.id }))}
      >
        {t('compare')}
      </Button>
    </div>
  );
}

// The number of automatic retries; after that the user decides.
const mostTries = 3;
// Replies whose retry the user cancelled. Not in React state, because rows are unmounted while scrolling.
const calledOff = new Set<NodeId>();

// Errors that another key solves.
const keyProblems: ReadonlySet<string> = new Set(['provider/no-key', 'provider/unauthorised', 'provider/quota']);

/** A failed reply: the error, and the next attempt, with a countdown if the provider named a time. */
function Failed({ node }: { readonly node: Node }): ReactElement {
  const session = useSession();
  const error = replyErrorOf(node);
  const failures = useTree((state) => failuresBeside(state.part, node));
  const [off, setOff] = useState(() => calledOff.has(node.id));
  const left = useSecondsTo(error?.dueAt ?? null);
  const alone = error?.retryable === true && session.replies.isRequestedHere(node.id) && failures <= mostTries && !off;
  const again = useCallback(() => {
    calledOff.add(node.id);
    setOff(true);
    void regenerateReply(session, node.id, currentGenerationOptions({ n: 1 }));
  }, [session, node.id]);
  const waited = useRef(false);
  useEffect(() => {
    if (left > 0) waited.current = true;
    else if (waited.current && alone) again();
  }, [left, alone, again]);
  return (
    <div className="status err" role="alert">
      <Icon name="warn" />
      <p>
        <b>{t('noAnswer')}</b> {error === null ? null : <ReceivedErrorText of={error} />} {t('messageSaved')}{' '}
        {left === 0 ? null : (
          <span className="num" aria-live="off">
            {t(alone ? 'tryingAgainIn' : 'tryableIn', { n: left })}
          </span>
        )}
      </p>
      {left > 0 && alone ? (
        <Button
          small
          look="quiet"
          onClick={() => {
            calledOff.add(node.id);
            setOff(true);
          }}
        >
          {t('notNow')}
        </Button>
      ) : null}
      {error !== null && keyProblems.has(error.code) ? (
        <Button small onClick={() => navigateTo({ name: 'settings', section: 'models' })}>
          {t('settings')}
        </Button>
      ) : null}
      <Button small icon="again" onClick={again}>
        {left > 0 && alone ? t('now') : t('tryAgain')}
      </Button>
    </div>
  );
}

/** A reply that ended at the maximum length. At the end of the branch, its rest can be requested. */
function LengthReached({ node }: { readonly node: Node }): ReactElement {
  const session = useSession();
  const isLast = useTree((state) => state.part?.leaf === node.id);
  const [asked, setAsked] = useState(false);
  return (
    <div className="status cut" role="note">
      <Icon name="cut" />
      <p>
        <b>{t('lengthReached')}</b> {t('lengthHint')}
      </p>
      {isLast ? (
        <Button
          small
          look="primary"
          disabled={asked}
          onClick={() => {
            setAsked(true);
            const request = textMessage('user', t('restRequest'));
            void sendMessage(session, node.id, request, currentGenerationOptions()).finally(() => setAsked(false));
          }}
        >
          {t('askForRest')}
        </Button>
      ) : null}
    </div>
  );
}

/** A message of the user at the end of the branch without a reply, with a button that generates one. */
function Unanswered({ node }: { readonly node: Node }): ReactElement | null {
  const session = useSession();
  const isWaiting = useTree(
    (state) =>
      state.phase === 'ready' &&
      state.part?.leaf === node.id &&
      (state.part.childrenByParent.get(node.id)?.length ?? 0) === 0 &&
      state.base?.nodes.has(node.id) === true,
  );
  const [asked, setAsked] = useState(false);
  if (node.role !== 'user' || !isWaiting) return null;
  return (
    <div className="status unanswered">
      <p>{t('noReplyYet')}</p>
      <Button
        small
        icon="send"
        disabled={asked}
        onClick={() => {
          setAsked(true);
          void generateReplyTo(session, node.id, currentGenerationOptions()).finally(() => setAsked(false));
        }}
      >
        {t('getReply')}
      </Button>
    </div>
  );
}

/** How many variants of a reply failed, including itself. */
function failuresBeside(part: LoadedBranch | null, node: Node): number {
  const ids = part === null || node.parentId === null ? undefined : part.childrenByParent.get(node.parentId);
  return (ids ?? [node.id]).filter((id) => part?.nodes.get(id)?.status === 'error').length;
}

/** Whole seconds until a time, counting down; zero once it has passed. */
function useSecondsTo(at: number | null): number {
  const [now, setNow] = useState(() => Date.now());
  const left = at === null ? 0 : Math.max(0, Math.ceil((at - now) / 1000));
  useEffect(() => {
    if (left === 0) return;
    const timer = setTimeout(() => setNow(Date.now()), 250);
    return () => clearTimeout(timer);
  });
  return left;
}
