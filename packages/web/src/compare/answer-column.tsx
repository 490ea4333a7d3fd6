/** One answer of the comparison, with its metadata and actions. */
import { replySourceOf, toHttpProblem } from '@coppice/client';
import type { Node, NodeId } from '@coppice/core';
import type { ReactElement } from 'react';
import { formatCost, formatNumber, t, tn } from '../i18n/index.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { stopReply } from '../state/generation.ts';
import { navigateTo, treeRoute } from '../state/router.ts';
import { setBookmark, showError } from '../state/tree-actions.ts';
import { openDialog } from '../state/ui.ts';
import { useSession, useTree } from '../state/use-session.ts';
import { MessageBlocks } from '../thread/blocks.tsx';
import { plainTextOf } from '../thread/rows.ts';
import { SourceChips, SourceLetters } from '../thread/source-chips.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Menu, MenuItem, MenuSeparator } from '../ui/menu.tsx';
import { ModelName } from '../ui/model-name.tsx';
import { isCombinedAnswer, openMergeDialog } from './answers.ts';
import { AnswerLetter, modelNameOfAnswer } from './combine-panel.tsx';
import { useTurnRows } from './use-turn.ts';

interface AnswerColumnProps {
  readonly node: Node;
  readonly variants: readonly Node[];
  /** The index among the answers to combine, -1 if it is not selected; null if it cannot be combined. */
  readonly choice: { readonly at: number; readonly onPick: () => void } | null;
  /** Whether the answer is on the shown branch. */
  readonly live: boolean;
  /** Which side of the word comparison the answer is, if any; null while answers are combined. */
  readonly side: { readonly name: 'A' | 'B' | null; readonly onSide: (side: 'a' | 'b') => void } | null;
}

export function AnswerColumn({ node, variants, live, side, choice }: AnswerColumnProps): ReactElement {
  const { model } = replySourceOf(node.meta);
  const classes = [
    'col',
    live ? 'live' : '',
    isCombinedAnswer(node) ? 'combined' : '',
    choice !== null && choice.at >= 0 ? 'picked' : '',
  ];
  return (
    <article className={classes.filter(Boolean).join(' ')} aria-label={model ?? t('you')} data-answer={node.id}>
      <header>
        {choice === null ? null : (
          <>
            <input
              type="checkbox"
              className="pickbox"
              aria-label={t('useAnswer', { name: modelNameOfAnswer(node) })}
              checked={choice.at >= 0}
              onChange={choice.onPick}
            />
            {choice.at < 0 ? null : <AnswerLetter node={node} at={choice.at} />}
          </>
        )}
        {model === null ? <b>{node.role === 'user' ? t('you') : t('model')}</b> : <ModelName model={model} />}
        <SourceChips node={node} present={variants.map((each) => each.id)} known={variants} onPick={scrollToColumn} />
        <AnswerFigures node={node} />
        {side === null ? null : (
          <span className="seg sides">
            <button
              type="button"
              aria-pressed={side.name === 'A'}
              aria-label={t('asA')}
              onClick={() => side.onSide('a')}
            >
              A
            </button>
            <button
              type="button"
              aria-pressed={side.name === 'B'}
              aria-label={t('asB')}
              onClick={() => side.onSide('b')}
            >
              B
            </button>
          </span>
        )}
      </header>
      <SourceLetters node={node}>
        <AnswerBody node={node} />
      </SourceLetters>
      <footer>
        {node.status === 'pending' ? <PendingFooter node={node} /> : <AnswerActions node={node} live={live} />}
      </footer>
    </article>
  );
}

function scrollToColumn(id: NodeId): void {
  document.querySelector(`[data-answer="${CSS.escape(id)}"]`)?.scrollIntoView({ block: 'center', inline: 'center' });
}

/** The duration, the tokens and the cost of an answer, as far as they are known. */
function AnswerFigures({ node }: { readonly node: Node }): ReactElement {
  const { totalMs, outputTokens, cost } = replySourceOf(node.meta);
  const figures = [
    totalMs === null ? null : `${formatNumber(Math.round(totalMs / 1000))} s`,
    outputTokens === null ? null : tn('tokens', outputTokens),
    cost === null ? null : formatCost(cost, 3),
  ].filter((figure) => figure !== null);
  return <span className="num">{figures.join(', ')}</span>;
}

/** The text of an answer so far, or all messages of its turn. */
function AnswerBody({ node }: { readonly node: Node }): ReactElement {
  const reply = useTree((state) => state.live.get(node.id) ?? null);
  const turn = useTurnRows(node);
  return (
    <div className="body">
      {node.status === 'pending' ? (
        <>
          <Markdown text={reply?.text ?? ''} growing />
          <span className="caret" role="presentation" />
        </>
      ) : (
        turn.map((each) =>
          each.node.message === null ? null : (
            <MessageBlocks key={each.node.id} message={each.node.message} results={each.results} />
          ),
        )
      )}
      {node.status === 'error' ? <p className="warn-text">{t('noAnswer')}</p> : null}
    </div>
  );
}

function PendingFooter({ node }: { readonly node: Node }): ReactElement {
  const session = useSession();
  return (
    <>
      <span className="grow">{t('beingWritten')}</span>
      <Button small icon="stop" onClick={() => void stopReply(session, node.id)}>
        {t('stop')}
      </Button>
    </>
  );
}

function AnswerActions({ node, live }: { readonly node: Node; readonly live: boolean }): ReactElement {
  const session = useSession();
  const below = useTree((state) => state.topology?.countBelow(node.id) ?? 0);
  const continueHere = () => {
    session.go(node.id).then(
      () => navigateTo(treeRoute(session.treeId)),
      (thrown) => showError(toHttpProblem(thrown)),
    );
  };
  const text = plainTextOf(node.message);
  return (
    <>
      {live ? (
        <span className="here grow">
          <Icon name="fork" />
          {t('currentBranch')}
        </span>
      ) : (
        <>
          <span className="grow">{below === 0 ? '' : tn('continueHere', below)}</span>
          <Button small onClick={continueHere}>
            {t('continueFromThis')}
          </Button>
        </>
      )}
      <IconButton
        icon="mark"
        label={t('bookmark')}
        onClick={() => void setBookmark(session, node.id, text.slice(0, 60).trim() || t('bookmark'))}
      />
      <CopyButton text={text} label={t('copy')} />
      <Menu trigger={<IconButton icon="more" label={t('more')} />}>
        {live ? null : (
          <MenuItem icon="merge" onSelect={() => void openMergeDialog(session, node.id)}>
            {t('mergeNamed')}
          </MenuItem>
        )}
        <MenuItem icon="map" onSelect={() => openDialog({ name: 'move-to', node })}>
          {t('moveToTree')}
        </MenuItem>
        <MenuSeparator />
        <MenuItem icon="trash" danger onSelect={() => openDialog({ name: 'delete', node })}>
          {t('delete')}
        </MenuItem>
      </Menu>
    </>
  );
}
