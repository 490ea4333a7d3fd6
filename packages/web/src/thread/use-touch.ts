/** Touch gestures on a message: a swipe switches the variant, a long press shows the actions. */
import { type RefObject, useEffect, useRef } from 'react';

export interface TouchHandlers {
  /** Called with 1 for a swipe to the left, the next variant, and -1 to the right; null without other variants. */
  readonly swipe: ((by: 1 | -1) => void) | null;
  readonly hold: () => void;
}

const holdMs = 450;
const stillPx = 10;
const swipePx = 56;
// The row moves by this fraction of the finger's movement, which shows that the swipe has begun.
const drag = 0.45;
const farthestPx = 90;

/** Whether a touch starts on a control, or on an element that scrolls horizontally, such as code or a table. */
function scrollsSideways(target: EventTarget | null, within: HTMLElement): boolean {
  for (let at = target instanceof Element ? target : null; at !== null && at !== within; at = at.parentElement) {
    if (at.matches('button, a, input, textarea, select, summary')) return true;
    if (at.scrollWidth > at.clientWidth + 1 && getComputedStyle(at).overflowX !== 'visible') return true;
  }
  return false;
}

/** One finger on an element, from the touch until it is lifted. */
class TouchGesture {
  readonly #element: HTMLElement;
  readonly #handlers: () => TouchHandlers;
  #start: { readonly id: number; readonly x: number; readonly y: number } | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isSwipe = false;
  #isHeld = false;

  constructor(element: HTMLElement, handlers: () => TouchHandlers) {
    this.#element = element;
    this.#handlers = handlers;
  }

  readonly begin = (event: PointerEvent): void => {
    this.end();
    this.#isHeld = false;
    if (event.pointerType !== 'touch' || !event.isPrimary || scrollsSideways(event.target, this.#element)) return;
    this.#start = { id: event.pointerId, x: event.clientX, y: event.clientY };
    this.#timer = setTimeout(() => this.#hold(), holdMs);
  };

  #hold(): void {
    if (this.#start === null || this.#isSwipe) return;
    this.#isHeld = true;
    this.end();
    getSelection()?.removeAllRanges();
    this.#handlers().hold();
  }

  readonly move = (event: PointerEvent): void => {
    if (this.#start === null || event.pointerId !== this.#start.id) return;
    const dx = event.clientX - this.#start.x;
    const dy = event.clientY - this.#start.y;
    if (!this.#isSwipe) {
      if (Math.abs(dx) < stillPx && Math.abs(dy) < stillPx) return;
      clearTimeout(this.#timer);
      if (this.#handlers().swipe === null || Math.abs(dx) < 2 * Math.abs(dy)) return this.end();
      this.#isSwipe = true;
      this.#element.classList.add('is-swiped');
    }
    const moved = Math.max(-farthestPx, Math.min(farthestPx, dx * drag));
    this.#element.style.setProperty('--swipe', `${moved}px`);
  };

  readonly lift = (event: PointerEvent): void => {
    const dx = this.#start === null ? 0 : event.clientX - this.#start.x;
    const isFar = this.#isSwipe && Math.abs(dx) >= swipePx;
    this.end();
    if (isFar) this.#handlers().swipe?.(dx < 0 ? 1 : -1);
  };

  /** Ends the gesture without an action, and moves the row back. */
  readonly end = (): void => {
    clearTimeout(this.#timer);
    this.#start = null;
    if (this.#isSwipe) this.#element.style.removeProperty('--swipe');
    this.#element.classList.remove('is-swiped');
    this.#isSwipe = false;
  };

  /** The long press must not also open the browser's menu. */
  readonly preventMenu = (event: Event): void => {
    if (this.#isHeld || this.#start !== null) event.preventDefault();
  };

  /** Lifting the finger would otherwise click the dialog that has appeared below it. */
  readonly preventClick = (event: Event): void => {
    if (this.#isHeld) event.preventDefault();
    this.#isHeld = false;
  };
}

/** Handles touches on an element, but no mouse events. */
export function useTouchGestures(ref: RefObject<HTMLElement | null>, handlers: TouchHandlers): void {
  const newest = useRef(handlers);
  newest.current = handlers;
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const gesture = new TouchGesture(element, () => newest.current);
    element.addEventListener('pointerdown', gesture.begin);
    element.addEventListener('pointermove', gesture.move);
    element.addEventListener('pointerup', gesture.lift);
    element.addEventListener('pointercancel', gesture.end);
    element.addEventListener('contextmenu', gesture.preventMenu);
    element.addEventListener('touchend', gesture.preventClick, { passive: false });
    return () => {
      gesture.end();
      element.removeEventListener('pointerdown', gesture.begin);
      element.removeEventListener('pointermove', gesture.move);
      element.removeEventListener('pointerup', gesture.lift);
      element.removeEventListener('pointercancel', gesture.end);
      element.removeEventListener('contextmenu', gesture.preventMenu);
      element.removeEventListener('touchend', gesture.preventClick);
    };
  }, [ref]);
}
