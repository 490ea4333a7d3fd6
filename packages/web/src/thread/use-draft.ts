import { toHttpProblem } from '@coppice/client';
import type { TreeId } from '@coppice/core';
import { nodeId } from '@coppice/core';
import { type Dispatch, type SetStateAction, useCallback, useEffect, useRef, useState } from 'react';
import { readDraft, saveDraft } from '../state/drafts.ts';
import { api, pageClient } from '../state/page-client.ts';

// The delay of saving in milliseconds, because a long text is written as a whole each time.
const saveDelayMs = 200;

/** The text of a composer or edit box, which is stored while it is typed. */
export interface ComposerDraft {
  readonly text: string;
  readonly set: Dispatch<SetStateAction<string>>;
  /** Removes the draft from storage. */
  forget(): void;
}

/** Saves a text under a name while it is typed, so that it survives a reload; an unchanged text is not saved. */
export function useDraft(name: string, first = ''): ComposerDraft {
  const [text, setText] = useState(() => readDraft(name) || first);
  const isOpen = useRef(true);
  const now = useRef('');
  now.current = text === first ? '' : text;
  useEffect(() => {
    const timer = setTimeout(() => saveDraft(name, text === first ? '' : text), saveDelayMs);
    return () => clearTimeout(timer);
  }, [name, text, first]);
  // If the user leaves before the timer expires, the last words are saved too.
  useEffect(() => {
    isOpen.current = true;
    const keep = () => saveDraft(name, now.current);
    addEventListener('pagehide', keep);
    return () => {
      isOpen.current = false;
      removeEventListener('pagehide', keep);
      keep();
    };
  }, [name]);
  // A refused message is put back also if the user has left its composer meanwhile.
  const set = useCallback(
    (change: SetStateAction<string>) => {
      if (isOpen.current) setText(change);
      else saveDraft(name, typeof change === 'function' ? change(readDraft(name)) : change);
    },
    [name],
  );
  const forget = () => {
    now.current = '';
    saveDraft(name, '');
  };
  return { text, set, forget };
}

// The delay before messages are put back, in milliseconds: another tab with the same tree may be about to send them.
const putBackDelayMs = 4000;

/** Puts messages back into the composer that were being sent when the page was closed and never arrived. */
export function useUnsentMessages(tree: TreeId, connected: boolean, giveBack: (text: string) => void): void {
  const give = useRef(giveBack);
  give.current = giveBack;
  useEffect(() => {
    const list = pageClient.unsent.of(tree);
    if (!connected || list.length === 0) return;
    const putBackUnsent = async () => {
      for (const { id, text } of pageClient.unsent.of(tree)) {
        const exists = await api.node(tree, nodeId(id)).then(
          () => true,
          (thrown) => (toHttpProblem(thrown).status === 404 ? false : null),
        );
        if (exists === null) continue;
        pageClient.unsent.drop(tree, id);
        if (!exists) give.current(text);
      }
    };
    const newest = Math.max(...list.map(({ at }) => at));
    const timer = setTimeout(
      () => void putBackUnsent(),
      Math.max(0, Math.min(putBackDelayMs, newest + putBackDelayMs - Date.now())),
    );
    return () => clearTimeout(timer);
  }, [tree, connected]);
}
