import type { NodeId } from '@coppice/core';
import { type KeyboardEvent, type ReactElement, type RefObject, useEffect, useMemo, useState } from 'react';
import { t } from '../i18n/index.ts';
import { api } from '../state/page-client.ts';
import { useSession } from '../state/use-session.ts';
import { IconButton } from '../ui/button.tsx';
import { isInputMethodKey } from '../ui/input-method.ts';
import type { MapModel } from './use-map.ts';

const waitMs = 200;
const mostHits = 100;
const noHits: readonly NodeId[] = [];

/**
 * Finds the messages with given words, in the order of their creation; null without words. The page knows only
 * the beginning of each message; the server also finds words after that.
 */
export function useMapSearch(model: MapModel | null, words: string): readonly NodeId[] | null {
  const session = useSession();
  const [answer, setAnswer] = useState<{ readonly words: string; readonly ids: readonly NodeId[] } | null>(null);
  useEffect(() => {
    if (words.length < 2) return;
    const stop = new AbortController();
    const timer = setTimeout(() => {
      api.search(words, { treeId: session.treeId, limit: mostHits }, stop.signal).then(
        ({ items }) => setAnswer({ words, ids: items.map((hit) => hit.nodeId) }),
        () => undefined,
      );
    }, waitMs);
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [session, words]);
  const hits = answer?.words === words ? answer.ids : noHits;
  return useMemo(() => {
    if (model === null || words === '') return null;
    const small = words.toLowerCase();
    const known = new Set(hits);
    const found: NodeId[] = [];
    for (const node of model.topology.nodes.values())
      if (known.has(node.id) || node.preview.toLowerCase().includes(small)) found.push(node.id);
    return found;
  }, [model, words, hits]);
}

interface MapSearchProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly found: readonly NodeId[] | null;
  /** The current hit; the search for the next one starts after it. */
  readonly shown: NodeId | null;
  readonly onShow: (id: NodeId) => void;
  readonly field: RefObject<HTMLInputElement | null>;
}

/** The search field of the map: the number of hits, and buttons for the next and previous one. */
export function MapSearch({ text, onText, found, shown, onShow, field }: MapSearchProps): ReactElement {
  const at = shown === null || found === null ? -1 : found.indexOf(shown);
  const none = found === null || found.length === 0;
  const step = (by: 1 | -1) => {
    if (found === null || found.length === 0) return;
    const next = found[at < 0 ? (by > 0 ? 0 : found.length - 1) : (at + by + found.length) % found.length];
    if (next !== undefined) onShow(next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isInputMethodKey(event)) return;
    if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
    else if (event.key === 'Escape' && text !== '') onText('');
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <search className="map-search">
      <input
        className="field map-find"
        type="search"
        ref={field}
        placeholder={t('findOnMap')}
        aria-label={t('findOnMap')}
        value={text}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <span className="num found-count" role="status">
        {found === null
          ? ''
          : at < 0
            ? t('foundOnMap', { n: found.length })
            : t('matchAt', { n: at + 1, of: found.length })}
      </span>
      {found === null ? null : (
        <>
          <IconButton icon="up" label={t('previousFound')} disabled={none} onClick={() => step(-1)} />
          <IconButton icon="down" label={t('nextFound')} disabled={none} onClick={() => step(1)} />
        </>
      )}
    </search>
  );
}
