import type { NodeStatus } from '@coppice/core';
import { t } from '../i18n/index.ts';
import { toExcerpt } from './first-words.ts';

/** Returns the name of a message in lists: its first words or, if it has none, why: it failed, or is being written. */
export function nameOfMessage(text: string, status: NodeStatus, most?: number): string {
  const words = toExcerpt(text, most);
  return words === '' ? (status === 'error' ? t('noAnswer') : '…') : words;
}
