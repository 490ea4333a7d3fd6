import type { ContextAnswer, LoadedBranch } from '@coppice/client';
import type { ContextTokensByKind } from '@coppice/core';
import { useCallback, useEffect, useRef, useState } from 'react';
import { currentModels, useAppData } from '../state/app-data.ts';
import { currentGenerationOptions } from '../state/chat-options.ts';
import { useSession, useTree } from '../state/use-session.ts';
import { adjustContextSize, countPathTokens, type PathTokenCounts } from './path-token-counts.ts';

// The largest number of messages in one response of the server.
const mostEntries = 1000;
const moreEntries = 200;

/** Whether an entry is on every page: the system prompt and the current summary. */
export function isEntryOnEveryPage({ kind }: ContextAnswer['entries'][number]): boolean {
  return kind === 'system-prompt' || kind === 'summary';
}

function joinAnswers(above: ContextAnswer, below: ContextAnswer): ContextAnswer {
  return { ...above, entries: [...above.entries, ...below.entries.filter((entry) => !isEntryOnEveryPage(entry))] };
}

/** The context that the server counted, and the tokens of the loaded path at that time. */
interface CountedContext {
  readonly model: string | null;
  readonly tools: string;
  readonly answer: ContextAnswer;
  readonly weight: PathTokenCounts;
}

/** Adjusts a context from the server to the loaded path; null if model or tools have changed since. */
function adjustToPath(
  counted: CountedContext | null,
  path: LoadedBranch | null,
  model: string | null,
  tools: string,
): ContextAnswer | null {
  if (path === null || counted === null || counted.model !== model || counted.tools !== tools) return null;
  return adjustContextSize(counted.answer, counted.weight, countPathTokens(path));
}

/**
 * The context of the next call at the end of the view's branch: its size and its last messages; `more` loads earlier
 * ones. If only the size is needed, it is adjusted to the loaded path; otherwise it is loaded again when the tree
 * changes.
 */
export function useNextContext(limit: number): {
  readonly answer: ContextAnswer | null;
  readonly model: string | null;
  more(): void;
} {
  const session = useSession();
  const leaf = useTree((state) => state.base?.leaf ?? null);
  const version = useTree((state) => state.base?.tree.version ?? 0);
  const ready = useTree((state) => state.phase === 'ready');
  const model = useNextModel();
  const tools = useOfferedTools();
  const [answer, setAnswer] = useState<ContextAnswer | null>(null);
  const shown = useRef(limit);
  const read = useRef<CountedContext | null>(null);
  useEffect(() => {
    // Counting a long branch is expensive for the server: not before the thread is shown.
    if (version === 0 || !ready) return;
    const adjusted = limit === 0 ? adjustToPath(read.current, session.state.base, model, tools) : null;
    if (adjusted !== null) {
      setAnswer(adjusted);
      session.store.setState({ weight: adjusted.tokens });
      return;
    }
    const stop = new AbortController();
    // During a reply the tree changes often; the thread has priority.
    const timer = setTimeout(() => {
      session.api
        // One message is the minimum that can be requested.
        .context(session.treeId, { nodeId: leaf, model, limit: Math.max(1, shown.current), tools }, stop.signal)
        .then((reported) => {
          setAnswer(reported);
          const now = session.state.base;
          // A response about another version cannot be adjusted.
          const same = now !== null && now.tree.version === reported.version && now.leaf === leaf;
          read.current = same ? { model, tools, answer: reported, weight: countPathTokens(now) } : null;
          session.store.setState({ weight: reported.tokens });
        })
        .catch(() => undefined);
    }, 400);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [session, leaf, model, version, ready, limit, tools]);
  const more = useCallback(() => {
    if (answer === null || answer.before === null) return;
    session.api
      .context(session.treeId, { nodeId: leaf, model, limit: moreEntries, before: answer.before, tools })
      .then((above) => {
        shown.current = Math.min(mostEntries, shown.current + moreEntries);
        setAnswer((now) => (now === answer ? joinAnswers(above, now) : now));
      })
      .catch(() => undefined);
  }, [session, leaf, model, answer, tools]);
  return { answer, model, more };
}

/** The model of the next call; the first one if several are chosen. */
function useNextModel(): string | null {
  const models = useAppData((lists) => lists.models);
  const chosen = useAppData((lists) => lists.chosen);
  const defaultModel = useAppData((lists) => lists.defaultModel);
  return currentModels({ models, chosen, defaultModel })[0] ?? null;
}

/** The names of the tools that the next call offers, separated by commas. */
function useOfferedTools(): string {
  // A selector of the app data, so that a change of the options or of the tools renders again.
  return useAppData(() => (currentGenerationOptions().tools ?? []).join(','));
}

/** One kind of content in the context window, with its tokens. */
export interface ContextShare {
  readonly name: keyof ContextTokensByKind | 'toolDefinitions';
  readonly tokens: number;
}

/** How the tokens are divided among system prompt, summaries, messages, tool results and tool definitions. */
export function contextSharesOf({ shares, toolDefinitions }: ContextAnswer): readonly ContextShare[] {
  const parts = (['system', 'summaries', 'messages', 'tools'] as const).map((name) => ({ name, tokens: shares[name] }));
  return [...parts, { name: 'toolDefinitions', tokens: toolDefinitions.tokens }];
}

/** The CSS class that gives each share its pattern in the bar. */
export const contextShareCssClasses = {
  system: 'seg-sys',
  summaries: 'seg-sum',
  messages: 'seg-msg',
  tools: 'seg-tool',
  toolDefinitions: 'seg-tools',
} as const;
/** The text key of each share's label. */
export const contextShareLabelKeys = {
  system: 'systemPrompt',
  summaries: 'summaries',
  messages: 'messagesName',
  tools: 'toolResults',
  toolDefinitions: 'toolDefinitions',
} as const;
