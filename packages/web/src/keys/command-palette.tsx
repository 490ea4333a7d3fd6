import { type SearchHit, type TreeViewData, treeTitleOf } from '@coppice/client';
import { Command } from 'cmdk';
import { type ReactElement, useEffect, useRef, useState } from 'react';
import { t } from '../i18n/index.ts';
import { useAppData } from '../state/app-data.ts';
import { useChatsByTitle } from '../state/chats-by-title.ts';
import { api } from '../state/page-client.ts';
import { homeRoute, navigateTo, treeRoute } from '../state/router.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { pageActions } from './actions.ts';
import { formatChord } from './chords.ts';
import { currentSession } from './current-session.ts';
import { clearPendingSearch, readPendingSearch } from './pending-search-field.tsx';

const mostBookmarks = 32;
const mostChats = 40;

/** The value of a hit. It includes the chat, because several chats may contain the same message. */
function hitValue(hit: SearchHit): string {
  return `hit ${hit.treeId} ${hit.nodeId}`;
}

function chatValue(tree: TreeViewData): string {
  return `${treeTitleOf(tree) ?? t('untitled')} ${tree.id}`;
}

function searchValue(words: string): string {
  return `search ${words}`;
}

/**
 * Ranks a command: it must contain every word, and one that begins with them ranks first. Matching single letters would
 * find too much.
 */
function matchWords(value: string, search: string): number {
  const text = value.toLowerCase();
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.every((word) => text.includes(word))) return 0;
  return text.startsWith(words[0] ?? '') ? 1 : 0.5;
}

/** Closes the palette and then runs an action. */
type RunAndClose = (action: () => void) => void;

/** The palette: finds actions, chats, branches and bookmarks of the open tree, and messages of all branches. */
export function CommandPalette({ onClose }: { readonly onClose: () => void }): ReactElement {
  const [text, setText] = useState(readPendingSearch);
  const [chosen, setChosen] = useState('');
  useEffect(clearPendingSearch, []);
  const words = text.trim();
  /** The message that was selected because it was found first, not by the user. */
  const firstHit = useRef('');
  // Hits arrive late: until then the search line may be selected only because no other line matched.
  const hits = useHits(words, (first) => {
    firstHit.current = hitValue(first);
    setChosen((now) => (now === searchValue(words) ? hitValue(first) : now));
  });
  const named = useChatsByTitle(words, mostChats);
  useEffect(() => {
    const [first] = named?.text === words ? named.chats : [];
    if (first === undefined) return;
    // Chats are shown above messages, and Enter opens what is shown first.
    setChosen((now) => (now === searchValue(words) || now === firstHit.current ? chatValue(first) : now));
  }, [named, words]);
  const run: RunAndClose = (action) => {
    onClose();
    // The dialog restores the focus first; the action may change it.
    requestAnimationFrame(action);
  };
  return (
    <Dialog title={t('palette')} bare onClose={onClose} className="palette">
      <Command label={t('palette')} loop filter={matchWords} value={chosen} onValueChange={setChosen}>
        <div className="row palette-head">
          <Icon name="search" />
          <Command.Input
            data-first
            className="grow"
            value={text}
            onValueChange={setText}
            placeholder={t('paletteHint')}
          />
        </div>
        <Command.List className="palette-list" label={t('found')}>
          <Command.Empty className="hint">{t('nothingFound')}</Command.Empty>
          <BookmarkItems run={run} />
          <ActionItems run={run} />
          <ChatItems named={named?.chats ?? []} run={run} />
          {words === '' ? null : <MessageItems words={words} hits={hits} run={run} />}
        </Command.List>
      </Command>
    </Dialog>
  );
}

/** Searches the messages of all chats. Hits of an earlier text are not returned, because Enter would open them. */
function useHits(words: string, onFirst: (hit: SearchHit) => void): readonly SearchHit[] {
  const [answer, setAnswer] = useState<{ readonly words: string; readonly hits: readonly SearchHit[] } | null>(null);
  const found = useRef(onFirst);
  found.current = onFirst;
  useEffect(() => {
    if (words.length < 2) return;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      api.search(words, { limit: 8 }, stop.signal).then(
        ({ items }) => {
          setAnswer({ words, hits: items });
          const [first] = items;
          if (first !== undefined) found.current(first);
        },
        () => undefined,
      );
    }, 160);
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [words]);
  return answer?.words === words ? answer.hits : [];
}

function BookmarkItems({ run }: { readonly run: RunAndClose }): ReactElement | null {
  const session = currentSession();
  if (session === null) return null;
  const bookmarks = [...(session.state.topology?.bookmarks.values() ?? [])].slice(0, mostBookmarks);
  return (
    <Command.Group>
      {bookmarks.map(({ nodeId, title }) => (
        <Command.Item
          key={nodeId}
          className="opt"
          value={`${t('bookmark')} ${title} ${nodeId}`}
          onSelect={() => run(() => navigateTo(treeRoute(session.treeId, { nodeId })))}
        >
          <Icon name="mark" />
          <span className="grow">
            {t('bookmark')} <b>{title}</b>
          </span>
        </Command.Item>
      ))}
    </Command.Group>
  );
}

function ActionItems({ run }: { readonly run: RunAndClose }): ReactElement {
  return (
    <Command.Group>
      {pageActions
        .filter((action) => action.listed === true)
        .map((action) => (
          <Command.Item
            key={action.id}
            className="opt"
            value={`${t(action.label)} ${action.id}`}
            onSelect={() => run(() => action.run())}
          >
            <Icon name={action.icon} />
            <span className="grow">{t(action.label)}</span>
            {action.keys[0] === undefined ? null : <kbd>{formatChord(action.keys[0])}</kbd>}
          </Command.Item>
        ))}
    </Command.Group>
  );
}

interface ChatItemsProps {
  /** The chats whose titles contain the words. */
  readonly named: readonly TreeViewData[];
  readonly run: RunAndClose;
}

function ChatItems({ named, run }: ChatItemsProps): ReactElement {
  const trees = useAppData((lists) => lists.trees);
  const shown = new Map([...trees.slice(0, mostChats), ...named].map((tree) => [tree.id, tree]));
  return (
    <Command.Group>
      {[...shown.values()].map((tree) => (
        <Command.Item
          key={tree.id}
          className="opt"
          value={chatValue(tree)}
          onSelect={() => run(() => navigateTo(treeRoute(tree.id)))}
        >
          <Icon name="map" />
          <span className="grow clip" dir="auto">
            {treeTitleOf(tree) ?? t('untitled')}
          </span>
        </Command.Item>
      ))}
    </Command.Group>
  );
}

interface MessageItemsProps {
  readonly words: string;
  readonly hits: readonly SearchHit[];
  readonly run: RunAndClose;
}

/** The found messages, and a line that opens the search of home. `forceMount` exempts them from the filter. */
function MessageItems({ words, hits, run }: MessageItemsProps): ReactElement {
  return (
    <Command.Group forceMount>
      {hits.map((hit) => (
        <Command.Item
          key={hitValue(hit)}
          forceMount
          className="opt"
          value={hitValue(hit)}
          onSelect={() => run(() => navigateTo(treeRoute(hit.treeId, { nodeId: hit.nodeId })))}
        >
          <Icon name="fork" />
          <span className="grow clip">{hit.snippet}</span>
        </Command.Item>
      ))}
      <Command.Item
        forceMount
        className="opt"
        value={searchValue(words)}
        onSelect={() => run(() => navigateTo(homeRoute(words)))}
      >
        <Icon name="search" />
        <span className="grow">{t('searchFor', { words })}</span>
      </Command.Item>
    </Command.Group>
  );
}
