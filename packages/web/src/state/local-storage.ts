/** Stores choices and drafts in this browser. Without storage the page works, but forgets them. */
import { pageClient } from './page-client.ts';

/** Reads a stored text; null if the browser has none under the name. */
export function readLocalText(name: string): string | null {
  return pageClient.storage.read(name);
}

/** Stores a text under a name; null removes it. False if the browser stores nothing. */
export function writeLocalText(name: string, text: string | null): boolean {
  return pageClient.storage.write(name, text);
}
