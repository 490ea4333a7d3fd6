/** Finds chats by the words of their title, among all chats and not only those that lists have loaded. */
import { type TreeViewData, treeTitleOf } from '@coppice/client';
import { useEffect, useState } from 'react';
import { api } from './page-client.ts';

// Waits until the user pauses, so that not every letter is a request.
const searchDelayMs = 150;
// The server finds one word; the others are looked for in what it returns.
const mostRead = 200;

function splitWords(text: string): readonly string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean);
}

/** Returns whether a title contains every word of a text. */
function titleContains(title: string, text: string): boolean {
  const lower = title.toLowerCase();
  return splitWords(text).every((word) => lower.includes(word));
}

/** Reads the chats whose title contains every word, last changed first. */
async function readChatsByTitle(text: string, most: number): Promise<TreeViewData[]> {
  const [longest] = splitWords(text).toSorted((a, b) => b.length - a.length);
  if (longest === undefined) return [];
  const { items } = await api.trees({ title: longest, limit: mostRead });
  return items.filter((tree) => titleContains(treeTitleOf(tree) ?? '', text)).slice(0, most);
}

/** The chats of a title search, with the text that was searched for. */
export interface ChatsByTitle {
  readonly text: string;
  readonly chats: readonly TreeViewData[];
}

/** Searches while the user types. Null until the first result; a result stays until the next one. */
export function useChatsByTitle(text: string, most: number): ChatsByTitle | null {
  const words = text.trim();
  const [found, setFound] = useState<ChatsByTitle | null>(null);
  useEffect(() => {
    if (words === '') return setFound(null);
    let stale = false;
    const timer = setTimeout(() => {
      readChatsByTitle(words, most).then(
        (chats) => {
          if (!stale) setFound({ text: words, chats });
        },
        () => undefined,
      );
    }, searchDelayMs);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [words, most]);
  return found;
}
