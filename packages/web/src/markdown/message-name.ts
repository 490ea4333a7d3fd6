import type { NodeStatus } from '@coppice/core';
import { t } from '../i18n/index.ts';
import { toExcerpt } from './excerpt.ts';

/** Returns the name of a message in lists: its first words; without words, that it failed, or an ellipsis. */
export function nameOfMessage(text: string, status: NodeStatus, most?: number): string {
  const words = toExcerpt(text, most);
  return words === '' ? (status === 'error' ? t('noAnswer') : '…') : words;
}
