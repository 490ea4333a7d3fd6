import { type RefObject, useEffect } from 'react';

/**
 * Moves the focus among the matching elements inside another one with the up and down keys. With `around` the focus
 * wraps at the ends; without it the keys do nothing there. They do nothing while the focus is elsewhere.
 */
export function useArrowKeys(
  inside: RefObject<HTMLElement | null>,
  selector: string,
  { around = false }: { readonly around?: boolean } = {},
): void {
  useEffect(() => {
    const element = inside.current;
    if (element === null) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
      const rows = [...element.querySelectorAll<HTMLElement>(selector)];
      const focused = document.activeElement;
      const here = rows.findIndex((row) => row === focused || row.parentElement?.contains(focused) === true);
      if (here < 0 && !around) return;
      const next = here + (event.key === 'ArrowDown' ? 1 : -1);
      rows[around ? (next + rows.length) % rows.length : next]?.focus();
      event.preventDefault();
      if (!around) event.stopPropagation();
    };
    element.addEventListener('keydown', onKeyDown);
    return () => element.removeEventListener('keydown', onKeyDown);
  }, [inside, selector, around]);
}
