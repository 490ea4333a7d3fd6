import { type SearchHit, treeTitleOf } from '@coppice/client';
import { Command } from 'cmdk';
import { type ReactElement, useEffect, useState } from 'react';
import { t } from '../i18n/index.ts';
import { useAppData } from '../state/app-data.ts';
import { api } from '../state/page-client.ts';
import { homeRoute, navigateTo, treeRoute } from '../state/router.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { pageActions } from './actions.ts';
import { formatChord } from './chords.ts';
import { openSession } from './open-session.ts';

const mostBranches = 8;

/** The value of a hit. It includes the chat, because several chats may contain the same message. */
function hitValue(hit: SearchHit): string {
  return `hit ${hit.treeId} ${hit.nodeId}`;
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

/** The palette: finds actions, chats, branches and bookmarks of the open tree, and messages of all branches. */
export function CommandPalette({ onClose }: { readonly onClose: () => void }): ReactElement {
  const [text, setText] = useState('');
  const [answer, setAnswer] = useState<{ readonly words: string; readonly hits: readonly SearchHit[] } | null>(null);
  const [chosen, setChosen] = useState('');
  const trees = useAppData((lists) => lists.trees);
  const session = openSession();
  const words = text.trim();
  useEffect(() => {
    if (words.length < 2) return;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      api.search(words, { limit: 8 }, stop.signal).then(
        ({ items }) => {
          setAnswer({ words, hits: items });
          // Hits arrive late: until then the last line may be selected only because it was the only one.
          const [first] = items;
          if (first !== undefined) setChosen((now) => (now === searchValue(words) ? hitValue(first) : now));
        },
        () => undefined,
      );
    }, 160);
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [words]);
  // Hits of an earlier search are hidden, because Enter would open them.
  const hits = answer?.words === words ? answer.hits : [];
  const run = (work: () => void) => {
    onClose();
    // The dialog restores the focus first; the action may change it.
    requestAnimationFrame(work);
  };
  const marks = session?.state.topology?.bookmarks ?? new Map();
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
          {session === null ? null : (
            <Command.Group>
              {[...marks.values()].slice(0, mostBranches * 4).map((mark) => (
                <Command.Item
                  key={mark.nodeId}
                  className="opt"
                  value={`${t('bookmark')} ${mark.title} ${mark.nodeId}`}
                  onSelect={() => run(() => navigateTo(treeRoute(session.treeId, { nodeId: mark.nodeId })))}
                >
                  <Icon name="mark" />
                  <span className="grow">
                    {t('bookmark')} <b>{mark.title}</b>
                  </span>
                </Command.Item>
              ))}
            </Command.Group>
          )}
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
          <Command.Group>
            {trees.slice(0, 40).map((tree) => (
              <Command.Item
                key={tree.id}
                className="opt"
                value={`${treeTitleOf(tree) ?? t('untitled')} ${tree.id}`}
                onSelect={() => run(() => navigateTo(treeRoute(tree.id)))}
              >
                <Icon name="map" />
                <span className="grow clip" dir="auto">
                  {treeTitleOf(tree) ?? t('untitled')}
                </span>
              </Command.Item>
            ))}
          </Command.Group>
          {words === '' ? null : (
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
          )}
        </Command.List>
      </Command>
    </Dialog>
  );
}
