import { create } from 'zustand';
import type { IconName } from '../ui/icon.tsx';

/** One line at the foot of the page: what happened, and how to take it back. */
export interface Toast {
  readonly id: number;
  readonly icon: IconName;
  readonly text: string;
  /** Words that follow in English, whatever the page speaks. */
  readonly english?: string | undefined;
  readonly action: { readonly label: string; readonly keys?: string; run(): void } | null;
  readonly bad: boolean;
}

/** The newest toast; it replaces the one before. */
export const useToast = create<{ readonly toast: Toast | null }>(() => ({ toast: null }));

let next = 1;
let timer: ReturnType<typeof setTimeout> | undefined;
const shownMs = 10_000;

/** Says something for ten seconds. */
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

/** Takes a toast away, if it is still the newest. */
export function dismissToast(id: number): void {
  useToast.setState((state) => (state.toast?.id === id ? { toast: null } : {}));
}
