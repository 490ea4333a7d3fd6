import { useSyncExternalStore } from 'react';

// The width below which the style sheets lay out the page for a phone.
const phoneWidth = '(max-width: 720px)';

function subscribe(changed: () => void): () => void {
  const query = matchMedia(phoneWidth);
  query.addEventListener('change', changed);
  return () => query.removeEventListener('change', changed);
}

/** Whether the page is as narrow as on a phone. */
export function usePhone(): boolean {
  return useSyncExternalStore(
    subscribe,
    () => matchMedia(phoneWidth).matches,
    () => false,
  );
}
