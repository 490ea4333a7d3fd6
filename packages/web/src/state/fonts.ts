/**
 * Loads the fonts of the page. On a first visit they are loaded after the first message, which does not wait for them.
 */
import { readLocalText, writeLocalText } from './local-storage.ts';

const name = 'fonts';

/** Loads the fonts; until then, and offline, the fonts of the system are used. */
export function loadFonts(): void {
  // The module system loads the file once.
  import('../styles/fonts.css').then(
    () => writeLocalText(name, 'loaded'),
    () => undefined,
  );
}

/** Loads the fonts immediately in a browser that has them in its cache. */
export function loadCachedFonts(): void {
  if (readLocalText(name) !== null) loadFonts();
}
