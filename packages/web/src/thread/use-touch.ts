/** Touch gestures on a message: a swipe switches the variant, a long press shows the actions. */
import { type RefObject, useEffect, useRef } from 'react';

/** The handlers of the gestures. */
export interface TouchHandlers {
  /** A swipe to the left is the next variant (1), to the right the previous one (-1); null if there is no other. */
  readonly swipe: ((by: 1 | -1) => void) | null;
  readonly hold: () => void;
}

const holdMs = 450;
const stillPx = 10;
const swipePx = 56;
// The row moves less than the finger, as a hint.
const drag = 0.45;
const farthestPx = 90;

/** Whether a touch starts on something that scrolls horizontally, such as code and tables. */
function scrollsSideways(target: EventTarget | null, within: HTMLElement): boolean {
  for (let at = target instanceof Element ? target : null; at !== null && at !== within; at = at.parentElement) {
    if (at.matches('button, a, input, textarea, select, summary')) return true;
    if (at.scrollWidth > at.clientWidth + 1 && getComputedStyle(at).overflowX !== 'visible') return true;
  }
  return false;
}

/** Handles touches on an element, but no mouse events. */
export function useTouchGestures(ref: RefObject<HTMLElement | null>, touched: TouchHandlers): void {
  const now = useRef(touched);
  now.current = touched;
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    let began: { readonly id: number; readonly x: number; readonly y: number } | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let sideways = false;
    let held = false;
    const settle = () => {
      clearTimeout(timer);
      began = null;
      if (sideways) element.style.removeProperty('--swipe');
      element.classList.remove('is-swiped');
      sideways = false;
    };
    const down = (event: PointerEvent) => {
      settle();
      held = false;
      if (event.pointerType !== 'touch' || !event.isPrimary || scrollsSideways(event.target, element)) return;
      began = { id: event.pointerId, x: event.clientX, y: event.clientY };
      timer = setTimeout(() => {
        if (began === null || sideways) return;
        held = true;
        settle();
        getSelection()?.removeAllRanges();
        now.current.hold();
      }, holdMs);
    };
    const move = (event: PointerEvent) => {
      if (began === null || event.pointerId !== began.id) return;
      const dx = event.clientX - began.x;
      const dy = event.clientY - began.y;
      if (!sideways) {
        if (Math.abs(dx) < stillPx && Math.abs(dy) < stillPx) return;
        clearTimeout(timer);
        if (now.current.swipe === null || Math.abs(dx) < 2 * Math.abs(dy)) return settle();
        sideways = true;
        element.classList.add('is-swiped');
      }
      const moved = Math.max(-farthestPx, Math.min(farthestPx, dx * drag));
      element.style.setProperty('--swipe', `${moved}px`);
    };
    const up = (event: PointerEvent) => {
      const dx = began === null ? 0 : event.clientX - began.x;
      const far = sideways && Math.abs(dx) >= swipePx;
      settle();
      if (far) now.current.swipe?.(dx < 0 ? 1 : -1);
    };
    // The long press must not also open the browser's menu or count as a tap.
    const menu = (event: Event) => {
      if (held || began !== null) event.preventDefault();
    };
    // Lifting the finger would otherwise click what has appeared below it.
    const lifted = (event: Event) => {
      if (held) event.preventDefault();
      held = false;
    };
    element.addEventListener('pointerdown', down);
    element.addEventListener('pointermove', move);
    element.addEventListener('pointerup', up);
    element.addEventListener('pointercancel', settle);
    element.addEventListener('contextmenu', menu);
    element.addEventListener('touchend', lifted, { passive: false });
    return () => {
      settle();
      element.removeEventListener('pointerdown', down);
      element.removeEventListener('pointermove', move);
      element.removeEventListener('pointerup', up);
      element.removeEventListener('pointercancel', settle);
      element.removeEventListener('contextmenu', menu);
      element.removeEventListener('touchend', lifted);
    };
  }, [ref]);
}
