import { t } from '../i18n/index.ts';
import { openNewChat } from '../state/new-tree.ts';
import { showToast } from '../state/toasts.ts';

/** Reports a new connection, and offers to start a chat. */
export function showConnectedToast(name: string): void {
  showToast({ icon: 'check', text: t('connected', { name }), action: { label: t('newTree'), run: openNewChat } });
}
