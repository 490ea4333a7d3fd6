import { create } from 'zustand';
import type { IconName } from '../ui/icon.tsx';

/** A notice at the bottom of the page: what happened, and how to undo it. */
export interface Toast {
  readonly id: number;
  readonly icon: IconName;
  readonly text: string;
  /** Untranslated text that follows in English. */
  readonly english?: string | undefined;
  readonly action: { readonly label: string; readonly keys?: string; run(): void } | null;
  readonly bad: boolean;
}

/** The newest toast; it replaces the previous one. */
export const useToast = create<{ readonly toast: Toast | null }>(() => ({ toast: null }));

let next = 1;
let timer: ReturnType<typeof setTimeout> | undefined;
const shownMs = 10_000;

/** Shows a toast for ten seconds. */
export function showToast(
  toast: Omit<Toast, 'id' | 'action' | 'bad'> & { readonly action?: Toast['action']; readonly bad?: boolean },
): void {
  const id = next++;
  useToast.setState({
    toast: {
      id,
      icon: toast.icon,
      text: toast.text,
      english: toast.english,
      action: toast.action ?? null,
      bad: toast.bad ?? false,
    },
  });
  clearTimeout(timer);
  timer = setTimeout(() => dismissToast(id), shownMs);
}

/** Removes a toast. A newer toast that replaced it stays. */
export function dismissToast(id: number): void {
  useToast.setState((state) => (state.toast?.id === id ? { toast: null } : {}));
}
