/** Tells the user about a long reply that ended, or a tool that waits for approval, while the page was hidden. */
import { hasRunningTurn, treeTitleOf } from '@coppice/client';
import { useEffect, useRef } from 'react';
import { create } from 'zustand';
import { t } from '../i18n/index.ts';
import { readChatName } from './chat-names.ts';
import { readLocalText, writeLocalText } from './local-storage.ts';
import { showToast } from './toasts.ts';
import { useSession, useTree } from './use-session.ts';

/** The shortest reply that triggers a notification, in milliseconds. */
const longMs = 10_000;
/** How long nothing must run before a turn counts as ended: between a tool and the next reply there is a gap. */
const pauseMs = 1000;

/** Whether this browser has notifications at all. */
export function canNotify(): boolean {
  return typeof Notification !== 'undefined';
}

/** Whether the user wants notifications; the browser may still forbid them. */
export const useNotificationSetting = create<{ readonly on: boolean }>(() => ({
  on: readLocalText('notify') === 'on',
}));

/** Turns notifications on, which may ask the user, or off. */
export async function toggleNotifications(on: boolean): Promise<void> {
  const allowed = on && canNotify() && (await Notification.requestPermission()) === 'granted';
  writeLocalText('notify', allowed ? 'on' : 'off');
  useNotificationSetting.setState({ on: allowed });
}

/** Offers notifications once, when a reply takes long. The offer is not repeated, whatever the answer is. */
function offerNotificationsOnce(): void {
  if (!canNotify() || Notification.permission !== 'default' || readLocalText('notify') !== null) return;
  writeLocalText('notify', 'asked');
  showToast({
    icon: 'bell',
    text: t('notifyOffer'),
    action: { label: t('turnOn'), run: () => void toggleNotifications(true) },
  });
}

/** Shows a notification; if only service workers may show notifications, as on Android, through the service worker. */
async function showNotification(title: string, body: string, tag: string): Promise<void> {
  try {
    const shown = new Notification(title, { body, tag });
    shown.onclick = () => {
      window.focus();
      shown.close();
    };
  } catch {
    const registration = await navigator.serviceWorker?.getRegistration();
    await registration?.showNotification(title, { body, tag, data: location.pathname });
  }
}

/** Watches the replies of the open chat, each turn with its tools as one reply. */
export function useReplyNotifications(): void {
  const session = useSession();
  const busy = useTree(hasRunningTurn);
  const startedAt = useRef<number | null>(null);
  useEffect(() => {
    const now = Date.now();
    if (busy) {
      startedAt.current ??= now;
      const timer = setTimeout(offerNotificationsOnce, startedAt.current + longMs - now);
      return () => clearTimeout(timer);
    }
    if (startedAt.current === null) return undefined;
    const tookMs = now - startedAt.current;
    const timer = setTimeout(() => {
      startedAt.current = null;
      const { part, calls } = session.state;
      const waits = calls.size > 0;
      if (!document.hidden || (tookMs < longMs && !waits) || !useNotificationSetting.getState().on) return;
      if (!canNotify() || Notification.permission !== 'granted') return;
      const name = readChatName(session.treeId, part === null ? null : treeTitleOf(part.tree));
      void name.then((body) => showNotification(t(waits ? 'waitingForYou' : 'replyFinished'), body, session.treeId));
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [session, busy]);
}
