import { loadedPath } from '@coppice/client';
import { isCombinable, type Node, type NodeId } from '@coppice/core';
import { type ReactElement, useEffect, useMemo, useState } from 'react';
import { t, tn } from '../i18n/index.ts';
import { useAppData } from '../state/app-data.ts';
import { currentGenerationOptions } from '../state/chat-options.ts';
import { regenerateReply } from '../state/generation.ts';
import type { PageRoute } from '../state/router.ts';
import { useUi } from '../state/ui.ts';
import { useSession, useTree } from '../state/use-session.ts';
import { plainTextOf } from '../thread/rows.ts';
import { BackToThreadButton } from '../thread/tree-bar.tsx';
import { Button } from '../ui/button.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { ModelName } from '../ui/model-name.tsx';
import { useOpenChatName } from '../ui/use-chat-name.ts';
import { AnswerColumn } from './answer-column.tsx';
import { isCombinedAnswer, openMergeDialog, useAnswerSelection, useAnswers } from './answers.ts';
import { CombinePanel } from './combine-panel.tsx';
import { WordDiff } from './word-diff.tsx';

type ComparePlace = Extract<PageRoute, { name: 'tree' }>;

/** Shows variants side by side, and below any two of them word by word. Continuing from one keeps the others. */
export function CompareScreen({ place }: { readonly place: ComparePlace }): ReactElement {
  const { parent, variants } = useAnswers(place.nodeId ?? place.a ?? place.b);
  const live = useShownIds();
  const { a, b, setSides } = useComparedSides(place, variants, live);
  const combining = useUi((ui) => ui.combining);
  const { picked, toggle } = useAnswerSelection(variants);
  const answers = variants.filter((node) => !isCombinedAnswer(node));
  useEffect(() => () => useUi.setState({ combining: false }), []);
  useLoadedTopology();
  const column = (node: Node) => (
    <AnswerColumn
      key={node.id}
      node={node}
      variants={variants}
      live={live.has(node.id)}
      side={
        combining
          ? null
          : {
              name: node.id === a ? 'A' : node.id === b ? 'B' : null,
              onSide: (side) => setSides({ a, b, [side]: node.id }),
            }
      }
      choice={combining && isCombinable(node) ? { at: picked.indexOf(node), onPick: () => toggle(node) } : null}
    />
  );
  return (
    <main className="main alone">
      {/* The first of the two compared answers that is not on the shown branch can be merged into it. */}
      <CompareBar variants={variants} mergeable={[b, a].find((id) => id !== null && !live.has(id)) ?? null} />
      <div className="cmp-row">
        <div className="cmp">
          {parent === null ? null : <ComparedPrompt node={parent} />}
          {parent === null ? null : (
            <AnswerLines count={answers.length} at={answers.findIndex((node) => live.has(node.id))} />
          )}
          <div className="cols" data-count={Math.min(4, answers.length)}>
            {answers.map(column)}
          </div>
          {variants.filter(isCombinedAnswer).map(column)}
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
            onPick={toggle}
            onClose={() => useUi.setState({ combining: false })}
          />
        ) : null}
      </div>
    </main>
  );
}

/** The ids of the loaded messages of the shown branch. */
function useShownIds(): ReadonlySet<NodeId> {
  const part = useTree((state) => state.part);
  return useMemo(() => new Set(part === null ? [] : loadedPath(part).map((node) => node.id)), [part]);
}

interface ComparedSides {
  readonly a: NodeId | null;
  readonly b: NodeId | null;
}

/** The two answers of the word comparison: those in the URL, or the shown answer and another one. */
function useComparedSides(
  place: ComparePlace,
  variants: readonly Node[],
  live: ReadonlySet<NodeId>,
): ComparedSides & { readonly setSides: (sides: ComparedSides) => void } {
  const [sides, setSides] = useState<ComparedSides>({ a: place.a, b: place.b });
  const a = sides.a ?? variants.find((node) => live.has(node.id))?.id ?? variants[0]?.id ?? null;
  const b = sides.b ?? variants.find((node) => node.id !== a)?.id ?? null;
  return { a, b, setSides };
}

/** Loads the topology, from which each column reads how many messages follow its answer. */
function useLoadedTopology(): void {
  const session = useSession();
  const ready = useTree((state) => state.phase === 'ready');
  useEffect(() => {
    if (ready) void session.loadTopology();
  }, [session, ready]);
}

interface CompareBarProps {
  readonly variants: readonly Node[];
  readonly mergeable: NodeId | null;
}

/** The title, and the actions on all answers. */
function CompareBar({ variants, mergeable }: CompareBarProps): ReactElement {
  const session = useSession();
  const name = useOpenChatName(useTree((state) => state.part?.tree ?? null));
  const combining = useUi((ui) => ui.combining);
  const last = variants.at(-1);
  return (
    <div className="bar">
      <BackToThreadButton />
      <div className="crumb grow">
        <h1 dir="auto">{name}</h1>
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
      {mergeable === null ? null : (
        <Button
          className="desk-only"
          look="quiet"
          small
          icon="merge"
          onClick={() => void openMergeDialog(session, mergeable)}
        >
          {t('mergeIntoOne')}
        </Button>
      )}
      {last === undefined || last.role !== 'assistant' ? null : <MoreAnswers node={last} />}
    </div>
  );
}

/** Buttons that generate further answers, of another model or of the current models. */
function MoreAnswers({ node }: { readonly node: Node }): ReactElement {
  const session = useSession();
  return (
    <>
      <AddModel node={node} />
      <Button
        className="desk-only"
        look="quiet"
        small
        icon="again"
        onClick={() => void regenerateReply(session, node.id, currentGenerationOptions({ n: 1 }))}
      >
        {t('runAgain')}
      </Button>
    </>
  );
}

/** The message that the answers reply to, shortened. */
function ComparedPrompt({ node }: { readonly node: Node }): ReactElement {
  return (
    <div className="ask">
      <span className="who">{node.role === 'user' ? t('you') : t('model')}</span>
      <span>{plainTextOf(node.message).slice(0, 400)}</span>
    </div>
  );
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
          onSelect={() =>
            void regenerateReply(session, node.id, currentGenerationOptions({ n: 1, models: [model.id] }))
          }
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

/** The lines from the prompt to its answers. */
function AnswerLines({ count, at }: { readonly count: number; readonly at: number }): ReactElement | null {
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
