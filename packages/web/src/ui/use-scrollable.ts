import { type RefCallback, useCallback } from 'react';

/**
 * Makes an element focusable only while it can scroll: keyboard users must be able to scroll it, but should not have to
 * tab over elements that do not scroll.
 */
export function useScrollable<E extends HTMLElement>(): RefCallback<E> {
  return useCallback((element: E | null) => {
    if (element === null) return;
    let frame = 0;
    const update = () => {
      frame = 0;
      const more = element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight;
      if (more) element.tabIndex = 0;
      else element.removeAttribute('tabindex');
    };
    // Measured once per frame: measuring after every change of a streaming reply would lay out the page each time.
    const updateSoon = () => {
      if (frame === 0) frame = requestAnimationFrame(update);
    };
    // The content can grow while the element keeps its size: by text, by highlighting, or by a font that is loaded
    // late.
    const sizes = new ResizeObserver(update);
    const contents = new MutationObserver(updateSoon);
    sizes.observe(element);
    contents.observe(element, { childList: true, characterData: true, subtree: true });
    document.fonts.addEventListener('loadingdone', updateSoon);
    return () => {
      cancelAnimationFrame(frame);
      sizes.disconnect();
      contents.disconnect();
      document.fonts.removeEventListener('loadingdone', updateSoon);
    };
  }, []);
}
