import { useCallback, useEffect, useState } from 'react';
import { api } from '../state/client.ts';
import { modelsNow, useLists } from '../state/lists.ts';
import { useSession, useTree } from '../state/use-session.ts';
import type { ContextAnswer } from '../state/wire.ts';

/** What is in force for the next call at the end of the view's branch; read again whenever the tree changes. */
export function useContextAnswer(): {
  readonly answer: ContextAnswer | null;
  readonly model: string | null;
  reload(): void;
} {
  const session = useSession();
  const leaf = useTree((state) => state.base?.leaf ?? null);
  const version = useTree((state) => state.base?.tree.version ?? 0);
  const ready = useTree((state) => state.phase === 'ready');
  const models = useLists((lists) => lists.models);
  const chosen = useLists((lists) => lists.chosen);
  const defaultModel = useLists((lists) => lists.defaultModel);
  const model = modelsNow({ models, chosen, defaultModel })[0] ?? null;
  const [answer, setAnswer] = useState<ContextAnswer | null>(null);
  const load = useCallback(() => {
    let stale = false;
    api
      .context(session.treeId, leaf, model)
      .then((found) => {
        if (!stale) setAnswer(found);
      })
      .catch(() => undefined);
    return () => {
      stale = true;
    };
  }, [session, leaf, model]);
  useEffect(() => {
    // Counting a long branch keeps the server busy: not before the thread is on the screen.
    if (version === 0 || !ready) return;
    // A reply in full flow changes the tree often; the thread comes first.
    let stop: (() => void) | undefined;
    const timer = setTimeout(() => {
      stop = load();
    }, 400);
    return () => {
      clearTimeout(timer);
      stop?.();
    };
  }, [load, version, ready]);
  return { answer, model, reload: () => void load() };
}

/** A part of the window, for the bar. */
export interface Share {
  readonly name: 'system' | 'summaries' | 'messages' | 'tools';
  readonly tokens: number;
}

/** How the tokens in force divide among system prompt, summaries, messages and results of tools. */
export function sharesOf(answer: ContextAnswer): readonly Share[] {
  const sums = { system: 0, summaries: 0, messages: 0, tools: 0 };
  for (const entry of answer.entries) {
    if (entry.kind === 'system-prompt') sums.system += entry.tokens;
    else if (entry.kind === 'summary' || entry.kind === 'branch-summary') sums.summaries += entry.tokens;
    else if (entry.message.role === 'tool') sums.tools += entry.tokens;
    else sums.messages += entry.tokens;
  }
  return [
    { name: 'system', tokens: sums.system },
    { name: 'summaries', tokens: sums.summaries },
    { name: 'messages', tokens: sums.messages },
    { name: 'tools', tokens: sums.tools },
  ];
}

/** The class of a share's pattern. */
export const shareClass = { system: 'seg-sys', summaries: 'seg-sum', messages: 'seg-msg', tools: 'seg-tool' } as const;
/** The name of a share. */
export const shareName = {
  system: 'systemPrompt',
  summaries: 'summaries',
  messages: 'messagesName',
  tools: 'toolResults',
} as const;
