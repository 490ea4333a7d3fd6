import { type TreeViewData, treeTitleOf } from '@coppice/client';
import { t } from '../i18n/index.ts';
import { firstWords } from '../markdown/first-words.ts';
import { useShapes } from '../state/shapes.ts';

const mostWords = 60;

/** The name of a chat in lists: its title, until it has one its last words. */
export function useChatName(tree: TreeViewData): string {
  const words = useShapes((state) => state.shapes.get(tree.id)?.words ?? '');
  return treeTitleOf(tree) ?? (firstWords(words, mostWords) || t('untitled'));
}
