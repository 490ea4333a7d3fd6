import type { TreeId } from '@coppice/core';
import { nodeId } from '@coppice/core';
import { type Dispatch, type SetStateAction, useEffect, useRef, useState } from 'react';
import { api } from '../state/client.ts';
import { saveDraft, savedDraft } from '../state/drafts.ts';
import { asProblem } from '../state/http.ts';
import { dropUnsent, unsentOf } from '../state/unsent.ts';

// Not at each key: a long text is written whole every time.
const keepMs = 200;

/** A text that is being written. */
export interface ComposerDraft {
  readonly text: string;
  readonly set: Dispatch<SetStateAction<string>>;
  /** Nothing of it is kept any more. */
  forget(): void;
}

/** Keeps a text under a name while it is written, so that it is there again after a reload; not while it is as at first. */
export function useDraft(name: string, first = ''): ComposerDraft {
  const [text, set] = useState(() => savedDraft(name) || first);
  const now = useRef('');
  now.current = text === first ? '' : text;
  useEffect(() => {
    const timer = setTimeout(() => saveDraft(name, text === first ? '' : text), keepMs);
    return () => clearTimeout(timer);
  }, [name, text, first]);
  // Whoever goes before the time is up takes the last words along.
  useEffect(() => {
    const keep = () => saveDraft(name, now.current);
    addEventListener('pagehide', keep);
    return () => {
      removeEventListener('pagehide', keep);
      keep();
    };
  }, [name]);
  const forget = () => {
    now.current = '';
    saveDraft(name, '');
  };
  return { text, set, forget };
}

// Another window of the same tree may be about to send it.
const patienceMs = 4000;

/** Brings back to the composer what was on its way when the page was closed, and never arrived. */
export function useUnsent(tree: TreeId, connected: boolean, giveBack: (text: string) => void): void {
  const give = useRef(giveBack);
  give.current = giveBack;
  useEffect(() => {
    const list = unsentOf(tree);
    if (!connected || list.length === 0) return;
    const look = async () => {
      for (const { id, text } of unsentOf(tree)) {
        const there = await api.node(tree, nodeId(id)).then(
          () => true,
          (thrown) => (asProblem(thrown).status === 404 ? false : null),
        );
        if (there === null) continue;
        dropUnsent(tree, id);
        if (!there) give.current(text);
      }
    };
    const youngest = Math.max(...list.map(({ at }) => at));
    const timer = setTimeout(() => void look(), Math.max(0, Math.min(patienceMs, youngest + patienceMs - Date.now())));
    return () => clearTimeout(timer);
  }, [tree, connected]);
}
