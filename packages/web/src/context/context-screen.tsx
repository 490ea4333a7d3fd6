import { type ContextEntry, isToolUse, type Node } from '@coppice/core';
import { type ReactElement, useEffect, useMemo, useState } from 'react';
import { num, short, t, tn } from '../i18n/index.ts';
import { annotate } from '../state/acts.ts';
import { flowerOf } from '../state/hues.ts';
import { pathOf } from '../state/loaded.ts';
import { go, treePlace } from '../state/router.ts';
import { sourceOf } from '../state/source.ts';
import { open } from '../state/ui.ts';
import { useSession, useTree } from '../state/use-session.ts';
import type { ContextAnswer } from '../state/wire.ts';
import { plainText } from '../thread/rows.ts';
import { useBranchName } from '../thread/tree-bar.tsx';
import { Button, IconButton } from '../ui/button.tsx';
import { copyText } from '../ui/copy-button.tsx';
import { Icon } from '../ui/icon.tsx';
import { ModelName } from '../ui/model-name.tsx';
import { useScrollable } from '../ui/use-scrollable.ts';
import { type Share, shareClass, shareName, sharesOf, useContextAnswer } from './use-context-answer.ts';

/** Exactly what a model gets with the next call, message by message, and how full its window is. */
export function ContextScreen(): ReactElement {
  const session = useSession();
  const { answer, model } = useContextAnswer();
  const branch = useBranchName();
  const [chosen, setChosen] = useState<string | null>(null);
  const rows = useRows(answer);
  const ready = useTree((state) => state.phase === 'ready');
  // What other branches hold is told too.
  useEffect(() => {
    if (ready) void session.wantTopology();
  }, [session, ready]);
  const shown =
    rows.find((row) => row.key === chosen) ?? rows.find((row) => row.entry?.kind === 'summary') ?? rows.at(-1);
  return (
    <main className="main alone">
      <div className="bar">
        <IconButton icon="left" label={`${t('backToThread')} (Esc)`} onClick={() => go(treePlace(session.treeId))} />
        <div className="crumb grow">
          <h1>{t('whatModelSees')}</h1>
          {branch === null ? null : (
            <>
              <span className="sep" aria-hidden="true">
                /
              </span>
              <span className="br">
                <Icon name="fork" />
                {branch}
              </span>
            </>
          )}
        </div>
        {model === null ? null : (
          <span className="desk-only">
            <ModelName model={model} />
          </span>
        )}
        <Button
          className="desk-only"
          look="quiet"
          small
          icon="copy"
          onClick={() => void copyText(JSON.stringify(answer?.entries.map((entry) => entry.message) ?? [], null, 2))}
        >
          {t('copyRequest')}
        </Button>
        <Button small icon="layers" onClick={() => open({ name: 'compact' })}>
          {t('compactNow')}
        </Button>
      </div>
      <div className="ctx">
        <div className="l">
          {answer === null ? null : <Window answer={answer} />}
          <ol className="ctxlist" aria-label={t('inForce')}>
            {rows.map((row) => (
              <Line
                key={row.key}
                row={row}
                most={rows.reduce((most, each) => Math.max(most, each.tokens), 1)}
                chosen={row === shown}
                onChoose={() => setChosen(row.key)}
              />
            ))}
          </ol>
          <NotSent rows={rows} />
        </div>
        {shown === undefined ? null : <Sent row={shown} />}
      </div>
    </main>
  );
}

interface Row {
  readonly key: string;
  /** Null for what is left out. */
  readonly entry: ContextEntry | null;
  readonly node: Node | undefined;
  readonly tokens: number;
  /** Older messages that a summary stands for. */
  readonly folded: number;
}

/** The entries in force, with what is left out in its place, and the older messages as one line. */
function useRows(answer: ContextAnswer | null): readonly Row[] {
  const part = useTree((state) => state.part);
  return useMemo(() => {
    if (answer === null || part === null) return [];
    const path = pathOf(part);
    const inForce = new Map(answer.entries.map((entry) => [entry.nodeId, entry]));
    const rows: Row[] = [];
    for (const entry of answer.entries)
      if (entry.nodeId === null) rows.push({ key: 'system', entry, node: undefined, tokens: entry.tokens, folded: 0 });
    const summary = answer.entries.find((entry) => entry.kind === 'summary');
    let folded = 0;
    const after: Row[] = [];
    for (const node of path) {
      const entry = inForce.get(node.id);
      if (entry === summary && entry !== undefined) continue;
      if (entry !== undefined) after.push({ key: node.id, entry, node, tokens: entry.tokens, folded: 0 });
      else if (node.meta.excluded === true)
        after.push({ key: node.id, entry: null, node, tokens: node.tokens, folded: 0 });
      else if (node.kind === 'message') folded++;
    }
    if (folded > 0) rows.push({ key: 'folded', entry: null, node: undefined, tokens: 0, folded });
    if (summary !== undefined)
      rows.push({
        key: summary.nodeId ?? 'summary',
        entry: summary,
        node: summary.nodeId === null ? undefined : part.nodes.get(summary.nodeId),
        tokens: summary.tokens,
        folded: 0,
      });
    return [...rows, ...after];
  }, [answer, part]);
}

function Window({ answer }: { readonly answer: ContextAnswer }): ReactElement {
  const window = Math.max(1, answer.window);
  const shares = sharesOf(answer);
  const reply = answer.maxTokens;
  const wide = (tokens: number) => `${Math.min(100, (tokens / window) * 100)}%`;
  const mark = (answer.compactAt / window) * 100;
  return (
    <section className="window" aria-label={t('window')}>
      <h2>
        {num(answer.tokens)}{' '}
        <small>
          {t('ofTokens', { window })}{' '}
          {answer.cost === null
            ? ''
            : t('nextCosts', { cost: `$${answer.cost.total.toFixed(answer.cost.total < 0.01 ? 4 : 2)}` })}
        </small>
      </h2>
      <div
        className="stack"
        role="img"
        aria-label={t('percentUsed', { n: Math.round((answer.tokens / window) * 100) })}
      >
        {shares.map((share) => (
          <i key={share.name} className={shareClass[share.name]} style={{ width: wide(share.tokens) }} />
        ))}
        <i className="seg-reply" style={{ width: wide(Math.min(reply, window - answer.tokens)) }} />
        <i className="tick" style={{ left: `${mark}%` }} />
      </div>
      <div className="scale" aria-hidden="true">
        {[0, 0.25, 0.5, 0.75, 1].map((part) =>
          Math.abs(part * 100 - mark) < 8 && part > 0 && part < 1 ? null : (
            <span
              key={part}
              className={part === 0 ? 'start' : part === 1 ? 'end' : undefined}
              style={{ left: `${part * 100}%` }}
            >
              {part === 0 ? '0' : short(window * part)}
            </span>
          ),
        )}
        {mark > 4 && mark < 99 ? (
          <span className="compacts" style={{ left: `${mark}%` }}>
            {t('compactsHere')}
          </span>
        ) : null}
      </div>
      <Legend shares={shares} reply={reply} />
    </section>
  );
}

function Legend({ shares, reply }: { readonly shares: readonly Share[]; readonly reply: number }): ReactElement {
  return (
    <div className="keys">
      {shares.map((share) => (
        <span key={share.name}>
          <i className={shareClass[share.name]} />
          {t(shareName[share.name])} <b>{num(share.tokens)}</b>
        </span>
      ))}
      <span>
        <i className="seg-reply" />
        {t('keptForReply')} <b>{num(reply)}</b>
      </span>
    </div>
  );
}

function nameOf(row: Row): string {
  const { entry, node } = row;
  if (entry?.kind === 'system-prompt') return t('system');
  if (entry?.kind === 'summary') return t('compaction');
  if (entry?.kind === 'branch-summary') return t('broughtBackShort');
  const role = entry?.message.role ?? node?.role;
  if (role === 'user') return t('you');
  if (role === 'tool') return t('toolResult');
  return (node === undefined ? null : sourceOf(node.meta).model) ?? t('model');
}

/** What a line says: the words of the message, or the calls that it makes instead. */
function wordsOf({ entry, node }: Row): string {
  // The wrapping that a model gets around a summary is for the model.
  if (entry === null || (entry.kind !== 'message' && node !== undefined)) return node?.text ?? '';
  const words = plainText(entry.message);
  if (words !== '') return words;
  const calls = entry.message.content.filter(isToolUse);
  if (calls.length > 0) return calls.map((call) => `${call.name} ${JSON.stringify(call.parameters)}`).join(', ');
  return entry.message.content.map((block) => block.type).join(', ');
}

interface LineProps {
  readonly row: Row;
  readonly most: number;
  readonly chosen: boolean;
  readonly onChoose: () => void;
}

function Line({ row, most, chosen, onChoose }: LineProps): ReactElement {
  const session = useSession();
  const { entry, node } = row;
  if (row.folded > 0)
    return (
      <li className="folded">
        <span className="g" />
        <span>{tn('olderStay', row.folded)}</span>
      </li>
    );
  const out = entry === null;
  const marker = entry !== null && entry.kind !== 'message';
  const model = node === undefined ? null : sourceOf(node.meta).model;
  const kind =
    entry?.kind === 'system-prompt'
      ? 'seg-sys'
      : marker
        ? 'seg-sum'
        : (entry?.message.role ?? node?.role) === 'tool'
          ? 'seg-tool'
          : 'seg-msg';
  const classes = [
    marker ? 's' : '',
    (entry?.message.role ?? node?.role) === 'user' ? 'u' : '',
    out ? 'out' : '',
    chosen ? 'sel' : '',
  ];
  const words = wordsOf(row);
  const status = node?.status;
  return (
    <li className={classes.filter(Boolean).join(' ')}>
      <span className="g">
        <i />
      </span>
      <span className={`role ${model === null ? '' : `hued ${flowerOf(model)}`}`}>{nameOf(row)}</span>
      <button type="button" className="txt" onClick={onChoose}>
        {status === 'interrupted' || status === 'aborted' ? <b className="warn-text">{t('interrupted')} </b> : null}
        {words.slice(0, 200)}
      </button>
      <span className="bar2">
        <i className={kind} style={{ width: `${(row.tokens / most) * 100}%` }} />
      </span>
      <span className="tok">{num(row.tokens)}</span>
      {node === undefined || marker ? (
        <span />
      ) : (
        <IconButton
          icon={out ? 'eyeoff' : 'eye'}
          label={out ? t('include') : t('exclude')}
          aria-pressed={out}
          onClick={() =>
            void annotate(session, node, { excluded: out ? null : true }, out ? t('included') : t('excluded'))
          }
        />
      )}
    </li>
  );
}

function NotSent({ rows }: { readonly rows: readonly Row[] }): ReactElement | null {
  const topology = useTree((state) => state.topology);
  const part = useTree((state) => state.part);
  const out = rows.filter((row) => row.entry === null && row.folded === 0);
  const others =
    topology === null || part === null || part.before !== null
      ? 0
      : Math.max(0, topology.nodes.size - pathOf(part).length);
  const thinking =
    part === null
      ? 0
      : pathOf(part).reduce(
          (count, node) => count + (node.message?.content.filter((block) => block.type === 'thinking').length ?? 0),
          0,
        );
  if (out.length === 0 && others === 0 && thinking === 0) return null;
  return (
    <section className="notsent">
      <h3>{t('notSent')}</h3>
      <dl>
        {thinking > 0 ? (
          <>
            <dt>{t('thinking')}</dt>
            <dd>{tn('thinkingBlocks', thinking)}</dd>
            <dd className="num" />
            <dd />
          </>
        ) : null}
        {out.length > 0 ? (
          <>
            <dt>{t('excludedByYou')}</dt>
            <dd>{tn('messages', out.length)}</dd>
            <dd className="num">{num(out.reduce((sum, row) => sum + row.tokens, 0))}</dd>
            <dd />
          </>
        ) : null}
        {others > 0 ? (
          <>
            <dt>{t('otherBranches')}</dt>
            <dd>{tn('otherMessages', others)}</dd>
            <dd className="num" />
            <dd />
          </>
        ) : null}
      </dl>
    </section>
  );
}

function Sent({ row }: { readonly row: Row }): ReactElement {
  const session = useSession();
  const scrolls = useScrollable<HTMLPreElement>();
  const { entry, node } = row;
  const before = node?.marker?.tokensBefore;
  return (
    <aside className="r" aria-label={t('asSent')}>
      <div className="row sent-head">
        <b className="grow strong">{nameOf(row)}</b>
        {before === undefined ? null : (
          <span className="dim num">{t('tokensFromTo', { from: before, to: row.tokens })}</span>
        )}
        {node === undefined ? null : (
          <Button
            small
            look="quiet"
            onClick={() => {
              go(treePlace(session.treeId));
              session.look(node.id);
            }}
          >
            {t('open')}
          </Button>
        )}
      </div>
      <b className="strong">{entry === null ? t('leftOut') : t('asSent')}</b>
      <pre className="sent" ref={scrolls}>
        {entry === null ? (node?.text.slice(0, 20_000) ?? '') : JSON.stringify(entry.message, null, 2).slice(0, 40_000)}
      </pre>
      <div className="plan">
        <h3>{t('ifCompact')}</h3>
        <p>{t('compactHint')}</p>
        <div className="row">
          <Button small look="primary" onClick={() => open({ name: 'compact' })}>
            {t('compactNow')}
          </Button>
        </div>
      </div>
    </aside>
  );
}
