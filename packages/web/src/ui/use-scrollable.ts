import { type RefCallback, useCallback } from 'react';

/**
 * Makes an element focusable only while it can scroll: keyboard users must be able to scroll it, and nobody should
 * have to tab over what does not scroll.
 */
export function useScrollable<E extends HTMLElement>(): RefCallback<E> {
  return useCallback((element: E | null) => {
    if (element === null) return;
    const look = () => {
      const more = element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight;
      if (more) element.tabIndex = 0;
      else element.removeAttribute('tabindex');
    };
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
}
