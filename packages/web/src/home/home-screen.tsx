import { type SearchHit, type TreeFilter, type TreeShape, type TreeViewData, treeTitleOf } from '@coppice/client';
import { Fragment, type KeyboardEvent, type ReactElement, useEffect, useMemo, useState } from 'react';
import { formatTime, t, tn } from '../i18n/index.ts';
import { ActionButton, ActionIcon } from '../keys/action-controls.tsx';
import { toExcerpt } from '../markdown/excerpt.ts';
import { loadMoreTrees, loadTrees, useAppData } from '../state/app-data.ts';
import { useChatsByTitle } from '../state/chats-by-title.ts';
import { api } from '../state/page-client.ts';
import { useIsMissingProject, useRenamedProject } from '../state/projects.ts';
import { homeRoute, navigateTo, type PageRoute, treeRoute } from '../state/router.ts';
import { requestSilhouette, useSilhouettes } from '../state/silhouettes.ts';
import { DropZone } from '../transfer/drop-zone.tsx';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { isInputMethodKey } from '../ui/input-method.ts';
import { PageLink } from '../ui/link.tsx';
import { ListedSilhouette } from '../ui/listed-silhouette.tsx';
import { EmptyListDrawing, LogoMark } from '../ui/logo.tsx';
import { useChatName } from '../ui/use-chat-name.ts';
import { BookmarkList } from './bookmark-list.tsx';
import { createExampleChat } from './example.ts';
import { HomeSidebar } from './home-sidebar.tsx';
import { RecorderNotice, useRecorder } from './recorder-notice.tsx';
import { SearchHits } from './search-hits.tsx';
import { DrawerButton } from './sidebar.tsx';
import { StartScreen } from './start-screen.tsx';

const mostNamedChats = 50;

type HomePlace = Extract<PageRoute, { name: 'home' }>;

/** Home: search in all branches, and the list of chats. */
export function HomeScreen({ place }: { readonly place: HomePlace }): ReactElement {
  const [text, setText] = useState(place.search);
  const recorder = useRecorder(place.filter === 'forest');
  useEffect(() => setText(place.search), [place.search]);
  const { found, loadMore } = useMessageSearch(text, place.filter);
  const named = useChatsByTitle(text, mostNamedChats)?.chats ?? [];
  const folder = folderOfFilter(place.filter);
  const missing = useIsMissingProject(folder);
  const renamed = useRenamedProject(missing ? folder : null);
  useEffect(() => {
    if (renamed !== null) navigateTo(homeRoute(place.search, `folder:${renamed}`), { replace: true });
  }, [renamed, place.search]);
  // During a search the hits are shown instead of the start screen.
  const isStart = text.trim() === '' && (place.filter === '' || folder !== null);
  return (
    <div className="app two">
      <HomeSidebar />
      <main className="main">
        <div className="home one">
          <div className="column-main">
            <div className="row home-top">
              <DrawerButton />
              <span className="logo grow phone-only">
                <LogoMark />
                Coppice
              </span>
              <ActionIcon id="new" className="phone-only" />
            </div>
            {missing && renamed === null ? <MissingProject name={folder ?? ''} /> : null}
            {isStart && !missing ? <StartScreen folder={folder} /> : null}
            <SearchField text={text} found={found} named={named.length} filter={place.filter} onChange={setText} />
            <DropZone />
            {found === null ? null : (
              <SearchHits key={found.text} chats={named} hits={found.hits} words={found.text} more={loadMore} />
            )}
            <RecorderNotice recorder={recorder} watching={place.filter === 'forest'} />
            {place.filter === 'bookmarks' ? (
              <BookmarkList />
            ) : missing ? null : (
              <TreeList key={place.filter} filter={place.filter} recorded={recorder?.recorded ?? 0} />
            )}
          </div>
        </div>
      </main>
    </div>
  );
}

/** The hits of a search, and the text that was searched for. */
interface FoundMessages {
  readonly text: string;
  readonly hits: readonly SearchHit[];
  readonly cursor: string | null;
}

// Waits until the user pauses, so that not every letter is a request.
const searchDelayMs = 180;

/** Searches all chats while the user types, and keeps the text in the URL. `loadMore` is null at the last hit. */
function useMessageSearch(
  text: string,
  filter: string,
): { readonly found: FoundMessages | null; readonly loadMore: (() => void) | null } {
  const [found, setFound] = useState<FoundMessages | null>(null);
  useEffect(() => {
    const words = text.trim();
    if (words === '') {
      setFound(null);
      return;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      navigateTo(homeRoute(words, filter), { replace: true });
      api
        .search(words, { limit: 30 }, stop.signal)
        .then(({ items, cursor }) => setFound({ text: words, hits: items, cursor }))
        .catch(() => undefined);
    }, searchDelayMs);
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [text, filter]);
  if (found === null || found.cursor === null) return { found, loadMore: null };
  const { text: words, hits, cursor: after } = found;
  const loadMore = () => {
    api
      .search(words, { limit: 30, cursor: after })
      .then(({ items, cursor }) => setFound({ text: words, hits: [...hits, ...items], cursor }))
      .catch(() => undefined);
  };
  return { found, loadMore };
}

interface SearchFieldProps {
  readonly text: string;
  readonly found: FoundMessages | null;
  /** The number of chats whose titles contain the text. */
  readonly named: number;
  readonly filter: string;
  readonly onChange: (text: string) => void;
}

/** The search field. Enter opens the first hit, the arrow down key focuses it, and Escape ends the search. */
function SearchField({ text, found, named, filter, onChange }: SearchFieldProps): ReactElement {
  const onKeyDown = (event: KeyboardEvent) => {
    if (isInputMethodKey(event)) return;
    const first = document.querySelector<HTMLElement>('.hits .hit');
    // The hits on screen may still be those of the previous text.
    if (event.key === 'Enter' && found?.text === text.trim()) first?.click();
    if (event.key === 'ArrowDown' && first !== null) {
      first.focus();
      event.preventDefault();
    }
    if (event.key === 'Escape') {
      onChange('');
      navigateTo(homeRoute('', filter), { replace: true });
    }
  };
  return (
    <div className="bigsearch grow">
      <Icon name="search" />
      <input
        id="search"
        type="search"
        className="grow"
        placeholder={t('searchEveryBranch')}
        aria-label={t('searchEveryBranch')}
        value={text}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {found === null ? (
        <kbd>/</kbd>
      ) : (
        <span className="dim num">
          {tn('hits', named + found.hits.length)}
          {found.cursor === null ? '' : '+'}
        </span>
      )}
    </div>
  );
}

/** The project whose chats a filter lists; null for other filters. */
function folderOfFilter(filter: string): string | null {
  return filter.startsWith('folder:') ? filter.slice('folder:'.length) : null;
}

/** Shown at the address of a project that does not exist. */
function MissingProject({ name }: { readonly name: string }): ReactElement {
  return (
    <div className="empty">
      <p>{t('noSuchProject', { name })}</p>
      <PageLink to={homeRoute()} className="btn">
        {t('allTrees')}
      </PageLink>
    </div>
  );
}

/** Returns the requests of a filter; null for all chats. Recorded trees are in two lists: of the forest, and by tag. */
function filtersOf(filter: string): readonly TreeFilter[] | null {
  if (filter === 'pinned') return [{ pinned: true }];
  if (filter === 'forest') return [{ forest: true }, { tag: 'recorded' }];
  const folder = folderOfFilter(filter);
  if (folder !== null) return [{ folder }];
  return filter.startsWith('tag:') ? [{ tag: filter.slice(4) }] : null;
}

type ListOrder = 'recent' | 'title' | 'branches';

function sortChats(
  trees: readonly TreeViewData[],
  order: ListOrder,
  branches: (tree: TreeViewData) => number,
): readonly TreeViewData[] {
  if (order === 'recent') return trees;
  const by =
    order === 'title'
      ? (a: TreeViewData, b: TreeViewData) => (treeTitleOf(a) ?? '\uffff').localeCompare(treeTitleOf(b) ?? '\uffff')
      : (a: TreeViewData, b: TreeViewData) => branches(b) - branches(a);
  return [...trees].sort(by);
}

const rowsAtOnce = 200;

/** A list of chats, and whether the server has more of them. */
interface ListedChats {
  readonly trees: readonly TreeViewData[];
  readonly hasMore: boolean;
}

/** Reads a list of chats page by page, until it has at least `most` or is complete. */
async function readTrees(filter: TreeFilter, most: number): Promise<ListedChats> {
  const trees: TreeViewData[] = [];
  for (let cursor: string | null | undefined; ; ) {
    const page: Awaited<ReturnType<typeof api.trees>> = await api.trees({
      ...filter,
      limit: rowsAtOnce,
      ...(typeof cursor === 'string' ? { cursor } : {}),
    });
    trees.push(...page.items);
    cursor = page.cursor;
    if (cursor === null || trees.length >= most) return { trees, hasMore: cursor !== null };
  }
}

/** The chats of a filter, read from the server; null if the filter lists all chats. */
function useFilteredTrees(filter: string, recorded: number, most: number): ListedChats | null {
  const all = useAppData((lists) => lists.trees);
  const [listed, setListed] = useState<ListedChats | null>(null);
  // The list of recorded trees is read again when new calls were recorded.
  const recordings = filter === 'forest' ? recorded : 0;
  useEffect(() => {
    const wanted = filtersOf(filter);
    if (wanted === null || all === null || recordings < 0) return setListed(null);
    let stale = false;
    Promise.all(wanted.map((each) => readTrees(each, most)))
      .then((lists) => {
        const trees = lists.flatMap((list) => list.trees);
        if (!stale)
          setListed({
            trees: lists.length === 1 ? trees : trees.toSorted((a, b) => b.updatedAt - a.updatedAt),
            hasMore: lists.some((list) => list.hasMore),
          });
      })
      .catch(() => undefined);
    return () => {
      stale = true;
    };
  }, [filter, all, recordings, most]);
  return listed;
}

function titleOfFilter(filter: string): string {
  if (filter.includes(':')) return filter.slice(filter.indexOf(':') + 1);
  return filter === 'pinned' ? t('pinned') : filter === 'forest' ? t('recorded') : t('trees');
}

// The largest page of the server.
const sortedPage = 500;

const orderLabels = { recent: 'recent', branches: 'mostBranched', title: 'byTitle' } as const;

function TreeList({ filter, recorded }: { readonly filter: string; readonly recorded: number }): ReactElement {
  const all = useAppData((lists) => lists.trees);
  const known = useAppData((lists) => lists.treesKnown);
  const cursor = useAppData((lists) => lists.cursor);
  const [order, setOrder] = useState<ListOrder>('recent');
  const [most, setMost] = useState(rowsAtOnce);
  // The server sorts only by time; the other orders need all chats.
  const some = useFilteredTrees(filter, recorded, order === 'recent' ? most : Number.POSITIVE_INFINITY);
  useEffect(() => {
    if (order !== 'recent' && filtersOf(filter) === null && cursor !== null) void loadMoreTrees(sortedPage);
  }, [order, filter, cursor]);
  const shapes = useSilhouettes((state) => state.shapes);
  const listed = some?.trees ?? all;
  // Sorting by branches needs the silhouettes of all trees, even of those that are not visible.
  useEffect(() => {
    if (order === 'branches') for (const tree of listed) requestSilhouette(tree.id, tree.version);
  }, [order, listed]);
  const sorted = useMemo(
    () => sortChats(listed, order, (tree) => shapes.get(tree.id)?.branches ?? 0),
    [listed, order, shapes],
  );
  const trees = sorted.slice(0, most);
  const hasMore = sorted.length > most || (some === null ? cursor !== null : some.hasMore);
  const showMore = () => {
    setMost((now) => now + rowsAtOnce);
    if (some === null && sorted.length <= most) void loadMoreTrees();
  };
  if (known && trees.length === 0 && filter === '') return <NoTrees />;
  return (
    <>
      <div className="row home-head">
        <h2 className="grow">{titleOfFilter(filter)}</h2>
        <ActionButton id="import" look="quiet" small />
        <div className="seg hide-phone">
          {(['recent', 'branches', 'title'] as const).map((each) => (
            <button key={each} type="button" aria-pressed={order === each} onClick={() => setOrder(each)}>
              {t(orderLabels[each])}
            </button>
          ))}
        </div>
      </div>
      {(filter === 'forest' ? byProject(trees) : [{ project: null, trees }]).map((group) => (
        <Fragment key={group.project ?? ''}>
          {group.project === null ? null : <h3 className="dim">{group.project}</h3>}
          <ul className="trees">
            {group.trees.map((tree) => (
              <TreeLine key={tree.id} tree={tree} />
            ))}
          </ul>
        </Fragment>
      ))}
      {some !== null && trees.length === 0 && folderOfFilter(filter) !== null ? (
        <p className="hint">{t('projectEmpty')}</p>
      ) : null}
      {hasMore ? (
        <Button look="quiet" onClick={showMore}>
          {t('showMore')}
        </Button>
      ) : null}
    </>
  );
}

/** Groups recorded trees by project, in the order of each group's newest tree. */
function byProject(
  trees: readonly TreeViewData[],
): readonly { readonly project: string | null; readonly trees: readonly TreeViewData[] }[] {
  const groups = new Map<string | null, TreeViewData[]>();
  for (const tree of trees) {
    const group = groups.get(tree.project) ?? [];
    groups.set(tree.project, group);
    group.push(tree);
  }
  return [...groups].map(([project, of]) => ({ project, trees: of }));
}

/** Describes where the user is in a tree: the last words and, if the branch has one, its bookmark. */
function describePosition({ on, words: said }: TreeShape): string {
  const words = toExcerpt(said, 120);
  return on === null || on === words ? words : t('onBranch', { branch: on, words });
}

function TreeLine({ tree }: { readonly tree: TreeViewData }): ReactElement {
  const shape = useSilhouettes((state) => state.shapes.get(tree.id) ?? null);
  const name = useChatName(tree);
  return (
    <li>
      <PageLink to={treeRoute(tree.id)} className="tree-line">
        <ListedSilhouette tree={tree} width={46} height={34} />
        <span className="clip">
          <span className="tree-name">
            <b dir="auto">{name}</b>
            <span className="dim clip">
              <bdi>{[tree.folder ?? '', ...tree.tags.map((tag) => `#${tag}`)].join(' ').trim()}</bdi>
            </span>
          </span>
          <span className="sub" dir="auto">
            {shape === null ? '' : describePosition(shape)}
          </span>
        </span>
        <span className="cell">{tree.pinned ? <Icon name="pin" /> : null}</span>
        <span className="cell">
          {shape === null ? '' : shape.branches === 0 ? '–' : tn('branches', shape.branches)}
        </span>
        <span className="cell">{shape === null ? '' : tn('messages', shape.messages)}</span>
        <time dateTime={new Date(tree.updatedAt).toISOString()}>{formatTime(tree.updatedAt)}</time>
      </PageLink>
    </li>
  );
}

function NoTrees(): ReactElement {
  return (
    <div className="empty">
      <EmptyListDrawing />
      <p>{t('firstQuestionHint')}</p>
      <div className="row">
        <ActionButton id="new" look="primary" />
        <ActionButton id="import" />
        <Button onClick={() => void createExampleChat().then(() => loadTrees())}>{t('seeExample')}</Button>
      </div>
    </div>
  );
}
