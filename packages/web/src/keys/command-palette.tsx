import { type SearchHit, titleOfNode } from '@coppice/client';
import { Command } from 'cmdk';
import { type ReactElement, useEffect, useState } from 'react';
import { t } from '../i18n/index.ts';
import { useAppData } from '../state/app-data.ts';
import { api } from '../state/page-client.ts';
import { homePlace, navigateTo, treePlace } from '../state/router.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { actions } from './actions.ts';
import { shownChord } from './chords.ts';
import { openSession } from './open-session.ts';

const mostBranches = 8;

/** The palette: finds actions, chats, branches and bookmarks of the open tree, and messages of all branches. */
export function CommandPalette({ onClose }: { readonly onClose: () => void }): ReactElement {
  const [text, setText] = useState('');
  const [hits, setHits] = useState<readonly SearchHit[]>([]);
  const trees = useAppData((lists) => lists.trees);
  const session = openSession();
  const words = text.trim();
  useEffect(() => {
    if (words.length < 2) return setHits([]);
    const stop = new AbortController();
    const timer = setTimeout(() => {
      api.search(words, { limit: 8 }, stop.signal).then(
        ({ items }) => setHits(items),
        () => undefined,
      );
    }, 160);
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [words]);
  const run = (work: () => void) => {
    onClose();
    // The dialog restores the focus first; the action may change it.
    requestAnimationFrame(work);
  };
  const marks = session?.state.topology?.bookmarks ?? new Map();
  return (
    <Dialog title={t('palette')} bare onClose={onClose} className="palette">
      <Command label={t('palette')} loop shouldFilter>
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
                  onSelect={() => run(() => navigateTo(treePlace(session.treeId, { nodeId: mark.nodeId })))}
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
            {actions
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
                  {action.keys[0] === undefined ? null : <kbd>{shownChord(action.keys[0])}</kbd>}
                </Command.Item>
              ))}
          </Command.Group>
          <Command.Group>
            {trees.slice(0, 40).map((tree) => (
              <Command.Item
                key={tree.id}
                className="opt"
                value={`${titleOfNode(tree) ?? t('untitled')} ${tree.id}`}
                onSelect={() => run(() => navigateTo(treePlace(tree.id)))}
              >
                <Icon name="map" />
                <span className="grow clip" dir="auto">
                  {titleOfNode(tree) ?? t('untitled')}
                </span>
              </Command.Item>
            ))}
          </Command.Group>
          {words === '' ? null : (
            <Command.Group forceMount>
              {hits.map((hit) => (
                <Command.Item
                  key={`${hit.treeId} ${hit.nodeId}`}
                  forceMount
                  className="opt"
                  value={`hit ${hit.nodeId}`}
                  onSelect={() => run(() => navigateTo(treePlace(hit.treeId, { nodeId: hit.nodeId })))}
                >
                  <Icon name="fork" />
                  <span className="grow clip">{hit.snippet}</span>
                </Command.Item>
              ))}
              <Command.Item
                forceMount
                className="opt"
                value={`search ${words}`}
                onSelect={() => run(() => navigateTo(homePlace(words)))}
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
