import { type TreeViewData, treeTitleOf } from '@coppice/client';
import { t } from '../i18n/index.ts';
import { toExcerpt } from '../markdown/first-words.ts';
import { useSilhouettes } from '../state/shapes.ts';

const mostWords = 60;

/** The name of a chat in lists: its title or, until it has one, its last words. */
export function useChatName(tree: TreeViewData): string {
  const words = useSilhouettes((state) => state.shapes.get(tree.id)?.words ?? '');
  return treeTitleOf(tree) ?? (toExcerpt(words, mostWords) || t('untitled'));
}
