/** The names of chats: the title or, until there is one, the first words of the first question. */
import { type TreeShape, type TreeViewData, treeTitleOf } from '@coppice/client';
import type { TreeId } from '@coppice/core';
import { t } from '../i18n/index.ts';
import { toExcerpt } from '../markdown/excerpt.ts';
import { api } from './page-client.ts';

const mostWords = 60;

/** The user's first message on the active branch; for a branch that does not begin with one, its last message. */
export function firstWordsOf(shape: TreeShape | undefined): string {
  return shape === undefined ? '' : shape.first || shape.words;
}

/** The name of a chat whose first words are known. */
export function chatNameOf(tree: TreeViewData, words: string): string {
  return nameOf(treeTitleOf(tree), words);
}

function nameOf(title: string | null, words: string): string {
  return title ?? (toExcerpt(words, mostWords) || t('untitled'));
}

/** Returns the name of a chat that may be in no list; reads its first words if it has no title. */
export async function readChatName(id: TreeId, title: string | null): Promise<string> {
  if (title !== null) return title;
  const shapes = await api.shapes([id]).catch(() => null);
  return nameOf(null, firstWordsOf(shapes?.items[0]));
}
