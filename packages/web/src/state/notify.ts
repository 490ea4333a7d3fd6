/** Tells the user about a long reply that ended while the page was hidden. */
import { treeTitleOf } from '@coppice/client';
import type { NodeId } from '@coppice/core';
import { useEffect, useRef } from 'react';
import { create } from 'zustand';
import { t } from '../i18n/index.ts';
import { readLocalText, writeLocalText } from './local-storage.ts';
import { showToast } from './toasts.ts';
import { useSession, useTree } from './use-session.ts';

/** The duration from which a reply triggers a notification. */
const longMs = 10_000;

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

/** Watches the replies of the open chat. */
export function useReplyNotifications(): void {
  const session = useSession();
  const live = useTree((state) => state.live);
  const running = useRef(new Map<NodeId, number>());
  useEffect(() => {
    const started = running.current;
    for (const [id, reply] of live) started.set(id, reply.startedAt);
    for (const [id, startedAt] of started) {
      if (live.has(id)) continue;
      started.delete(id);
      const { part } = session.state;
      if (!document.hidden || Date.now() - startedAt < longMs || !useNotificationSetting.getState().on) continue;
      if (!canNotify() || Notification.permission !== 'granted') continue;
      const title = part === null ? null : treeTitleOf(part.tree);
      const shown = new Notification(t('replyFinished'), { body: title ?? t('untitled'), tag: session.treeId });
      shown.onclick = () => {
        window.focus();
        shown.close();
      };
    }
  }, [session, live]);
  const busy = live.size > 0;
  useEffect(() => {
    if (!busy) return;
    const timer = setTimeout(offerNotificationsOnce, longMs);
    return () => clearTimeout(timer);
  }, [busy]);
}
