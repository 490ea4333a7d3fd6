import { type SearchHit, type TreeViewData, treeTitleOf } from '@coppice/client';
import { type KeyboardEvent, type ReactElement, useRef, useState } from 'react';
import { formatTime, t } from '../i18n/index.ts';
import { useAppData } from '../state/app-data.ts';
import { treeRoute } from '../state/router.ts';
import { Button } from '../ui/button.tsx';
import { PageLink } from '../ui/link.tsx';
import { ListedSilhouette } from '../ui/listed-silhouette.tsx';

interface SearchHitsProps {
  /** The chats whose titles contain the words. */
  readonly chats: readonly TreeViewData[];
  readonly hits: readonly SearchHit[];
  readonly words: string;
  readonly more: (() => void) | null;
}

const chatsAtFirst = 5;

/** The found chats, and the found messages: each opens its branch and scrolls to its message. */
export function SearchHits({ chats, hits, words, more }: SearchHitsProps): ReactElement {
  const list = useRef<HTMLElement>(null);
  const [allChats, setAllChats] = useState(false);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    const links = [...(list.current?.querySelectorAll<HTMLElement>('.hit') ?? [])];
    const here = links.findIndex((link) => link.matches(':focus'));
    const at = here + (event.key === 'ArrowDown' ? 1 : -1);
    (at < 0 ? document.getElementById('search') : links[at])?.focus();
    event.preventDefault();
  };
  if (hits.length === 0 && chats.length === 0) return <p className="hint">{t('nothingFound')}</p>;
  return (
    <section ref={list} className="hits" aria-label={t('found')} onKeyDown={onKeyDown}>
      {(allChats ? chats : chats.slice(0, chatsAtFirst)).map((tree) => (
        <FoundChat key={tree.id} tree={tree} words={words} />
      ))}
      {allChats || chats.length <= chatsAtFirst ? null : (
        <Button look="quiet" onClick={() => setAllChats(true)}>
          {t('showMore')}
        </Button>
      )}
      {hits.map((hit) => (
        <SearchHitLine key={`${hit.treeId} ${hit.nodeId}`} hit={hit} words={words} />
      ))}
      {more === null ? null : (
        <Button look="quiet" onClick={more}>
          {t('showMore')}
        </Button>
      )}
    </section>
  );
}

function FoundChat({ tree, words }: { readonly tree: TreeViewData; readonly words: string }): ReactElement {
  return (
    <PageLink to={treeRoute(tree.id)} className="hit">
      <ListedSilhouette tree={tree} width={40} height={30} />
      <span className="where">
        <b dir="auto">
          <MarkedText text={treeTitleOf(tree) ?? t('untitled')} words={words} />
        </b>
      </span>
      <span className="side">{formatTime(tree.updatedAt)}</span>
      <span className="words">{[tree.folder ?? '', ...tree.tags.map((tag) => `#${tag}`)].join(' ').trim()}</span>
    </PageLink>
  );
}

function SearchHitLine({ hit, words }: { readonly hit: SearchHit; readonly words: string }): ReactElement {
  const title = useAppData((lists) => {
    const tree = lists.trees.find((each) => each.id === hit.treeId);
    return hit.title ?? (tree === undefined ? null : treeTitleOf(tree));
  });
  return (
    <PageLink to={treeRoute(hit.treeId, { nodeId: hit.nodeId })} className="hit">
      <ListedSilhouette tree={{ id: hit.treeId }} width={40} height={30} />
      <span className="where">
        <b dir="auto">{title ?? t('untitled')}</b>
      </span>
      <span className="side">
        {hit.role === 'user' ? t('you') : hit.role === 'assistant' ? t('model') : t('tool')} {formatTime(hit.createdAt)}
      </span>
      <span className="words">
        <MarkedText text={hit.snippet} words={words} />
      </span>
    </PageLink>
  );
}

/** A text with the search words highlighted; special characters are taken literally. */
function MarkedText({ text, words }: { readonly text: string; readonly words: string }): ReactElement {
  const terms = words.toLowerCase().split(/\s+/).filter(Boolean);
  const parts: { readonly at: number; readonly text: string; readonly hit: boolean }[] = [];
  const lower = text.toLowerCase();
  let done = 0;
  while (done < text.length) {
    let best = -1;
    let length = 0;
    for (const term of terms) {
      const at = lower.indexOf(term, done);
      if (at >= 0 && (best < 0 || at < best)) {
        best = at;
        length = term.length;
      }
    }
    if (best < 0) break;
    if (best > done) parts.push({ at: done, text: text.slice(done, best), hit: false });
    parts.push({ at: best, text: text.slice(best, best + length), hit: true });
    done = best + length;
  }
  if (done < text.length) parts.push({ at: done, text: text.slice(done), hit: false });
  return (
    <>
      {parts.map((part) =>
        part.hit ? <mark key={part.at}>{part.text}</mark> : <span key={part.at}>{part.text}</span>,
      )}
    </>
  );
}
