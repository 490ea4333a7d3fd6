import { replySourceOf, toHttpProblem } from '@coppice/client';
import type { Node, NodeId, TextDiffPart } from '@coppice/core';
import { diffText } from '@coppice/core/diff';
import { type ReactElement, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { formatNumber, formatTime, t } from '../i18n/index.ts';
import { markdownToPlainText } from '../markdown/plain-words.ts';
import { api } from '../state/page-client.ts';
import { showError } from '../state/tree-actions.ts';
import { useSession } from '../state/use-session.ts';
import { plainTextOf, type ThreadRow } from '../thread/rows.ts';
import { useTurnRows } from './use-turn.ts';

interface WordDiffProps {
  readonly a: NodeId;
  readonly b: NodeId;
  readonly variants: readonly Node[];
}

/** Computes which share of all text is equal, only in A, and only in B; the shares add up to 1. */
function sharesOfDiff(parts: readonly TextDiffPart[]): {
  readonly shared: number;
  readonly left: number;
  readonly right: number;
} {
  const sums = { equal: 0, removed: 0, added: 0 };
  for (const part of parts) sums[part.type] += part.text.length;
  const whole = Math.max(1, sums.equal + sums.removed + sums.added);
  return { shared: sums.equal / whole, left: sums.removed / whole, right: sums.added / whole };
}

function textOfTurn(rows: readonly ThreadRow[]): string {
  return rows
    .map((row) => plainTextOf(row.node.message))
    .filter((text) => text !== '')
    .join('\n\n');
}

/**
 * Compares two messages, or the two branches that begin with them, word by word. Neither is older, so each side has
 * its own colour.
 */
export function WordDiff({ a, b, variants }: WordDiffProps): ReactElement | null {
  const [whole, setWhole] = useState(false);
  const [written, setWritten] = useState(false);
  const texts = useTexts(a, b, variants, whole);
  const parts = useDiffParts(texts, whole, written);
  const box = useRef<HTMLDivElement>(null);
  const showNext = useNextDifference(box);
  if (texts === null) return null;
  const sides = [
    { letter: 'A', modelColour: 'model-1', node: texts.left, skip: 'added' },
    { letter: 'B', modelColour: 'model-5', node: texts.right, skip: 'removed' },
  ] as const;
  return (
    <>
      <div className="diffhead">
        <h2>{t('wordByWord')}</h2>
        <div className="seg">
          <button type="button" aria-pressed={!whole} onClick={() => setWhole(false)}>
            {t('thisReply')}
          </button>
          <button type="button" aria-pressed={whole} onClick={() => setWhole(true)}>
            {t('wholeBranch')}
          </button>
        </div>
        <fieldset className="seg">
          <legend className="sr">{t('diffOf')}</legend>
          <button type="button" aria-pressed={!written} onClick={() => setWritten(false)}>
            {t('renderedView')}
          </button>
          <button type="button" aria-pressed={written} onClick={() => setWritten(true)}>
            {t('sourceView')}
          </button>
        </fieldset>
        <span className="grow" />
        <SharedBar parts={parts} />
        <NextDifferenceButton onNext={showNext} />
      </div>
      <div className="diff" ref={box}>
        {sides.map(({ letter, modelColour, node }) => (
          <div key={letter} className={`diff-side ${modelColour}`}>
            <span className="side-l">{letter}</span>
            {node === undefined ? null : <SideName node={node} at={variants.indexOf(node) + 1} />}
          </div>
        ))}
        {sides.map(({ letter, modelColour, skip }) => (
          <div key={`text ${letter}`} className={modelColour}>
            <DiffParts parts={parts} skip={skip} />
          </div>
        ))}
      </div>
    </>
  );
}

/** The differences of two texts. Unless the source is shown, markup is ignored, because a reader does not see it. */
function useDiffParts(texts: Texts | null, whole: boolean, asSource: boolean): readonly TextDiffPart[] {
  const left = useTurnRows(texts?.left);
  const right = useTurnRows(texts?.right);
  return useMemo(() => {
    if (texts === null) return [];
    // A reply with tool calls has most of its text after them.
    const [a, b] = whole ? [texts.a, texts.b] : [textOfTurn(left), textOfTurn(right)];
    return asSource ? diffText(a, b) : diffText(markdownToPlainText(a), markdownToPlainText(b));
  }, [texts, whole, asSource, left, right]);
}

/** Returns a function that scrolls to the next difference; after the last one it starts again. */
function useNextDifference(box: RefObject<HTMLElement | null>): () => void {
  const at = useRef(-1);
  return () => {
    const marks = box.current?.querySelectorAll('mark');
    if (marks === undefined || marks.length === 0) return;
    marks[at.current]?.classList.remove('at');
    at.current = (at.current + 1) % marks.length;
    marks[at.current]?.classList.add('at');
    marks[at.current]?.scrollIntoView({ block: 'center' });
  };
}

/** How much of the two texts is equal, as a number and as a bar. */
function SharedBar({ parts }: { readonly parts: readonly TextDiffPart[] }): ReactElement {
  const { left, shared, right } = sharesOfDiff(parts);
  const label = t('shared', { n: Math.round(shared * 100) });
  return (
    <>
      <span className="dim num">{label}</span>
      <span className="share" role="img" aria-label={label}>
        <i className="model-1 fill" style={{ width: `${left * 100}%` }} />
        <i className="both" style={{ width: `${shared * 100}%` }} />
        <i className="model-5 fill" style={{ width: `${right * 100}%` }} />
      </span>
    </>
  );
}

/** Shows the next difference, by a click or with the `]` key. */
function NextDifferenceButton({ onNext }: { readonly onNext: () => void }): ReactElement {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key !== ']' || event.target instanceof HTMLInputElement || document.querySelector('dialog[open]'))
        return;
      event.preventDefault();
      event.stopPropagation();
      button.current?.click();
    };
    // In the capture phase, before the page's own handler, which uses the same key for forks.
    addEventListener('keydown', pressed, true);
    return () => removeEventListener('keydown', pressed, true);
  }, []);
  return (
    <button ref={button} type="button" className="btn quiet small" onClick={onNext}>
      {t('nextDifference')}
      <kbd>]</kbd>
    </button>
  );
}

/** The author of a side, its number among the variants and its time. */
function SideName({ node, at }: { readonly node: Node; readonly at: number }): ReactElement {
  return (
    <>
      <b>{replySourceOf(node.meta).model ?? (node.role === 'user' ? t('you') : t('model'))}</b>
      <span className="dim">{`${t('variantAt', { n: formatNumber(at) })}, ${formatTime(node.createdAt)}`}</span>
    </>
  );
}

function DiffParts({
  parts,
  skip,
}: {
  readonly parts: readonly TextDiffPart[];
  readonly skip: 'added' | 'removed';
}): ReactElement {
  let at = 0;
  const shown = parts.flatMap((part) => {
    const key = at;
    at += part.text.length;
    return part.type === skip ? [] : [{ key, part }];
  });
  return (
    <p className="diff-paragraph diff-text" dir="auto">
      {shown.map(({ key, part }) =>
        part.type === 'equal' ? <span key={key}>{part.text}</span> : <mark key={key}>{part.text}</mark>,
      )}
    </p>
  );
}

interface Texts {
  readonly a: string;
  readonly b: string;
  readonly left: Node | undefined;
  readonly right: Node | undefined;
}

/** The texts to compare: of the two messages, or of their whole branches. */
function useTexts(a: NodeId, b: NodeId, variants: readonly Node[], whole: boolean): Texts | null {
  const session = useSession();
  const [branches, setBranches] = useState<{
    readonly key: string;
    readonly a: readonly Node[];
    readonly b: readonly Node[];
  } | null>(null);
  const [alone, setAlone] = useState<ReadonlyMap<NodeId, Node>>(new Map());
  const key = `${a} ${b}`;
  useEffect(() => {
    // Any two nodes can be compared, not only variants of one message.
    for (const id of [a, b])
      if (!variants.some((node) => node.id === id))
        api
          .node(session.treeId, id)
          .then(({ node }) => setAlone((now) => new Map(now).set(id, node)))
          .catch((thrown) => showError(toHttpProblem(thrown)));
  }, [session, a, b, variants]);
  useEffect(() => {
    if (!whole) return;
    let stale = false;
    Promise.all([api.through(session.treeId, a), api.through(session.treeId, b)])
      .then(([left, right]) => {
        if (!stale) setBranches({ key, a: left.nodes, b: right.nodes });
      })
      .catch((thrown) => showError(toHttpProblem(thrown)));
    return () => {
      stale = true;
    };
  }, [session, whole, a, b, key]);
  return useMemo(() => {
    const find = (id: NodeId) => variants.find((node) => node.id === id) ?? alone.get(id);
    const left = find(a);
    const right = find(b);
    if (!whole) return { a: plainTextOf(left?.message ?? null), b: plainTextOf(right?.message ?? null), left, right };
    if (branches === null || branches.key !== key) return null;
    const from = (nodes: readonly Node[], id: NodeId) =>
      nodes
        .slice(
          Math.max(
            0,
            nodes.findIndex((node) => node.id === id),
          ),
        )
        .map((node) => plainTextOf(node.message))
        .join('\n\n');
    return { a: from(branches.a, a), b: from(branches.b, b), left, right };
  }, [a, b, key, variants, alone, whole, branches]);
}
