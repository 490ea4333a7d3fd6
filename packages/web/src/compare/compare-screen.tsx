import { loadedPath, replySourceOf, type TreeSession, toHttpProblem, treeTitleOf } from '@coppice/client';
import type { Node, NodeId } from '@coppice/core';
import { type ReactElement, useEffect, useMemo, useState } from 'react';
import { formatCost, formatNumber, t, tn } from '../i18n/index.ts';
import { Markdown } from '../markdown/markdown.tsx';
import { useAppData } from '../state/app-data.ts';
import { regenerateReply, stopReply } from '../state/generation.ts';
import { api } from '../state/page-client.ts';
import { navigateTo, type PageRoute, treeRoute } from '../state/router.ts';
import { setBookmark, showError } from '../state/tree-actions.ts';
import { openDialog, useUi } from '../state/ui.ts';
import { useSession, useTree } from '../state/use-session.ts';
import { MessageBlocks } from '../thread/blocks.tsx';
import { currentOptions } from '../thread/current-options.ts';
import { plainTextOf } from '../thread/rows.ts';
import { SourceChips } from '../thread/source-chips.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Menu, MenuItem, MenuSeparator } from '../ui/menu.tsx';
import { ModelName } from '../ui/model-name.tsx';
import { AnswerLetter, CombinePanel, nameOfAnswer } from './combine-panel.tsx';
import { useTurnRows } from './use-turn.ts';
import { WordDiff } from './word-diff.tsx';

type ComparePlace = Extract<PageRoute, { name: 'tree' }>;

/** Shows variants side by side, then any two of them word by word. Continuing from one keeps all. */
export function CompareScreen({ place }: { readonly place: ComparePlace }): ReactElement {
  const session = useSession();
  const tree = useTree((state) => state.part?.tree ?? null);
  const focus = place.nodeId ?? place.a ?? place.b;
  const { parent, variants } = useVariants(focus);
  const [sides, setSides] = useState<{ readonly a: NodeId | null; readonly b: NodeId | null }>({
    a: place.a,
    b: place.b,
  });
  const onPath = useTree((state) => state.part);
  const live = useMemo(() => new Set(onPath === null ? [] : loadedPath(onPath).map((node) => node.id)), [onPath]);
  const a = sides.a ?? variants.find((node) => live.has(node.id))?.id ?? variants[0]?.id ?? null;
  const b = sides.b ?? variants.find((node) => node.id !== a)?.id ?? null;
  const last = variants.at(-1);
  const combining = useUi((ui) => ui.combining);
  const [unpicked, setUnpicked] = useState<ReadonlySet<NodeId>>(new Set());
  const [alsoPicked, setAlsoPicked] = useState<ReadonlySet<NodeId>>(new Set());
  // All answers are selected at first, except those that were combined from others.
  const picked = variants.filter(
    (node) => isCombinable(node) && (isCombined(node) ? alsoPicked.has(node.id) : !unpicked.has(node.id)),
  );
  const pick = (node: Node) => {
    const set = isCombined(node) ? setAlsoPicked : setUnpicked;
    set((now) => (now.has(node.id) ? new Set([...now].filter((id) => id !== node.id)) : new Set(now).add(node.id)));
  };
  const answers = variants.filter((node) => !isCombined(node));
  const combined = variants.filter(isCombined);
  useEffect(() => () => useUi.setState({ combining: false }), []);
  // The one of the two that is not on the view's path can be merged into it.
  const brought = [b, a].find((id) => id !== null && !live.has(id)) ?? null;
  const ready = useTree((state) => state.phase === 'ready');
  // Needed to show how much follows each reply.
  useEffect(() => {
    if (ready) void session.wantTopology();
  }, [session, ready]);
  const column = (node: Node) => (
    <Column
      key={node.id}
      node={node}
      variants={variants}
      live={live.has(node.id)}
      side={node.id === a ? 'A' : node.id === b ? 'B' : null}
      onSide={(side) => setSides({ a, b, [side]: node.id })}
      choice={combining && isCombinable(node) ? { at: picked.indexOf(node), onPick: () => pick(node) } : null}
      combining={combining}
    />
  );
  return (
    <main className="main alone">
      <div className="bar">
        <IconButton
          icon="left"
          label={`${t('backToThread')} (Esc)`}
          onClick={() => navigateTo(treeRoute(session.treeId))}
        />
        <div className="crumb grow">
          <h1 dir="auto">{tree === null ? '' : (treeTitleOf(tree) ?? t('untitled'))}</h1>
          <span className="sep" aria-hidden="true">
            /
          </span>
          <span className="ink2">{tn('answers', variants.length)}</span>
        </div>
        {variants.filter(isCombinable).length < 2 ? null : (
          <Button
            small
            icon="merge"
            aria-label={t('combineAnswers')}
            aria-expanded={combining}
            onClick={() => useUi.setState({ combining: !combining })}
          >
            <span className="desk-only">{t('combineAnswers')}</span>
            <span className="phone-only">{t('combine')}</span>
          </Button>
        )}
        {brought === null ? null : (
          <Button
            className="desk-only"
            look="quiet"
            small
            icon="merge"
            onClick={() => void mergeVariant(session, brought)}
          >
            {t('mergeIntoOne')}
          </Button>
        )}
        {last === undefined || last.role !== 'assistant' ? null : (
          <>
            <AddModel node={last} />
            <Button
              className="desk-only"
              look="quiet"
              small
              icon="again"
              onClick={() => void regenerateReply(session, last.id, currentOptions({ n: 1 }))}
            >
              {t('runAgain')}
            </Button>
          </>
        )}
      </div>
      <div className="cmp-row">
        <div className="cmp">
          {parent === null ? null : (
            <div className="ask">
              <span className="who">{parent.role === 'user' ? t('you') : t('model')}</span>
              <span>{plainTextOf(parent.message).slice(0, 400)}</span>
            </div>
          )}
          {parent === null ? null : <Fan count={answers.length} at={answers.findIndex((node) => live.has(node.id))} />}
          <div className="cols" data-count={Math.min(4, answers.length)}>
            {answers.map(column)}
          </div>
          {combined.map(column)}
          {combining ? null : a === null || b === null ? (
            <p className="hint">{t('onlyOne')}</p>
          ) : (
            <WordDiff a={a} b={b} variants={variants} />
          )}
        </div>
        {combining ? (
          <CombinePanel
            offered={variants.filter(isCombinable)}
            picked={picked}
            onPick={pick}
            onClose={() => useUi.setState({ combining: false })}
          />
        ) : null}
      </div>
    </main>
  );
}

function isCombined(node: Node): boolean {
  return replySourceOf(node.meta).combinedFrom !== null;
}

function isCombinable(node: Node): boolean {
  return node.role === 'assistant' && node.status !== 'pending' && node.status !== 'error';
}

function showColumn(id: NodeId): void {
  document.querySelector(`[data-answer="${CSS.escape(id)}"]`)?.scrollIntoView({ block: 'center', inline: 'center' });
}

/** Opens the dialog to merge the branch through a node into the view's branch, as a summary or as messages. */
async function mergeVariant(session: TreeSession, id: NodeId): Promise<void> {
  try {
    const { nodes } = await api.through(session.treeId, id, 1);
    openDialog({ name: 'merge', nodeId: nodes.at(-1)?.id ?? id });
  } catch (thrown) {
    showError(toHttpProblem(thrown));
  }
}

/** Generates a reply of another model as an additional variant. */
function AddModel({ node }: { readonly node: Node }): ReactElement {
  const session = useSession();
  const models = useAppData((lists) => lists.models);
  const ready = models.filter((model) => model.ready);
  return (
    <Menu
      trigger={
        <Button look="quiet" small icon="plus" aria-label={t('addModel')}>
          <span className="desk-only">{t('addModel')}</span>
        </Button>
      }
    >
      {ready.map((model) => (
        <MenuItem
          key={model.id}
          onSelect={() => void regenerateReply(session, node.id, currentOptions({ n: 1, models: [model.id] }))}
        >
          <ModelName model={model.id} />
        </MenuItem>
      ))}
      {ready.length === 0 ? (
        <MenuItem disabled onSelect={() => undefined}>
          {t('noOtherModel')}
        </MenuItem>
      ) : null}
    </Menu>
  );
}

/** The variants of a node with their texts, and their prompt. Read again when the tree changes. */
function useVariants(focus: NodeId | null): { readonly parent: Node | null; readonly variants: readonly Node[] } {
  const session = useSession();
  const version = useTree((state) => state.base?.tree.version ?? 0);
  const leaf = useTree((state) => state.part?.leaf ?? null);
  const id = focus ?? leaf;
  const [variants, setVariants] = useState<readonly Node[]>([]);
  const [parent, setParent] = useState<Node | null>(null);
  useEffect(() => {
    if (id === null || version === 0) return;
    let stale = false;
    api
      .siblings(session.treeId, id)
      .then(async ({ nodes }) => {
        const above = nodes[0]?.parentId;
        const node = above === null || above === undefined ? null : await api.node(session.treeId, above);
        if (stale) return;
        setVariants(nodes);
        setParent(node === null || node.node.parentId === null ? null : node.node);
      })
      .catch((thrown) => {
        if (!stale) showError(toHttpProblem(thrown));
      });
    return () => {
      stale = true;
    };
  }, [session, id, version]);
  return { parent, variants };
}

function Fan({ count, at }: { readonly count: number; readonly at: number }): ReactElement | null {
  if (count < 2) return null;
  const shown = Math.min(4, count);
  const ends = Array.from({ length: shown }, (_, index) => 21 + (1376 / shown) * index);
  return (
    <svg className="fan" viewBox="0 0 1376 46" preserveAspectRatio="none" aria-hidden="true">
      {ends.map((x, index) =>
        index === at ? null : <path key={x} d={`M21 0C21 ${32 + index * 3} ${x} ${8 - index * 2} ${x} 46`} />,
      )}
      {ends[at] === undefined ? null : <path className="active-line" d={`M21 0C21 32 ${ends[at]} 8 ${ends[at]} 46`} />}
    </svg>
  );
}

interface ColumnProps {
  readonly node: Node;
  readonly variants: readonly Node[];
  readonly combining: boolean;
  /** The index among the answers to combine, -1 if it is not selected; null if it cannot be combined. */
  readonly choice: { readonly at: number; readonly onPick: () => void } | null;
  readonly live: boolean;
  readonly side: 'A' | 'B' | null;
  readonly onSide: (side: 'a' | 'b') => void;
}

function Column({ node, variants, live, side, onSide, combining, choice }: ColumnProps): ReactElement {
  const session = useSession();
  const reply = useTree((state) => state.live.get(node.id) ?? null);
  const below = useTree((state) => state.topology?.countBelow(node.id) ?? 0);
  const { model, totalMs, outputTokens, cost } = replySourceOf(node.meta);
  const facts = [
    totalMs === null ? null : `${formatNumber(Math.round(totalMs / 1000))} s`,
    outputTokens === null ? null : tn('tokens', outputTokens),
    cost === null ? null : formatCost(cost, 3),
  ].filter((fact) => fact !== null);
  const pending = node.status === 'pending';
  const turn = useTurnRows(node);
  const grow = () => {
    session.go(node.id).then(
      () => navigateTo(treeRoute(session.treeId)),
      (thrown) => showError(toHttpProblem(thrown)),
    );
  };
  return (
    <article
      className={[
        'col',
        live ? 'live' : '',
        isCombined(node) ? 'combined' : '',
        choice !== null && choice.at >= 0 ? 'picked' : '',
      ]
        .filter(Boolean)
        .join(' ')}
      aria-label={model ?? t('you')}
      data-answer={node.id}
    >
      <header>
        {choice === null ? null : (
          <>
            <input
              type="checkbox"
              className="pickbox"
              aria-label={t('useAnswer', { name: nameOfAnswer(node) })}
              checked={choice.at >= 0}
              onChange={choice.onPick}
            />
            {choice.at < 0 ? null : <AnswerLetter node={node} at={choice.at} />}
          </>
        )}
        {model === null ? <b>{node.role === 'user' ? t('you') : t('model')}</b> : <ModelName model={model} />}
        <SourceChips node={node} present={variants.map((each) => each.id)} known={variants} onPick={showColumn} />
        <span className="num">{facts.join(', ')}</span>
        {combining ? null : (
          <span className="seg sides">
            <button type="button" aria-pressed={side === 'A'} aria-label={t('asA')} onClick={() => onSide('a')}>
              A
            </button>
            <button type="button" aria-pressed={side === 'B'} aria-label={t('asB')} onClick={() => onSide('b')}>
              B
            </button>
          </span>
        )}
      </header>
      <div className="body">
        {pending ? (
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
      <footer>
        {pending ? (
          <>
            <span className="grow">{t('beingWritten')}</span>
            <Button small icon="stop" onClick={() => void stopReply(session, node.id)}>
              {t('stop')}
            </Button>
          </>
        ) : (
          <>
            {live ? (
              <span className="here grow">
                <Icon name="fork" />
                {t('currentBranch')}
              </span>
            ) : (
              <>
                <span className="grow">{below === 0 ? '' : tn('continueHere', below)}</span>
                <Button small onClick={grow}>
                  {t('continueFromThis')}
                </Button>
              </>
            )}
            <IconButton
              icon="mark"
              label={t('bookmark')}
              onClick={() =>
                void setBookmark(session, node.id, plainTextOf(node.message).slice(0, 60).trim() || t('bookmark'))
              }
            />
            <CopyButton text={plainTextOf(node.message)} label={t('copy')} />
            <Menu trigger={<IconButton icon="more" label={t('more')} />}>
              {live ? null : (
                <MenuItem icon="merge" onSelect={() => void mergeVariant(session, node.id)}>
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
        )}
      </footer>
    </article>
  );
}
