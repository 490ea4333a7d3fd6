/** What this browser stores: choices and drafts. Without storage the page works, but forgets them. */
import { client } from './page-client.ts';

/** The text under a name, or null. */
export function readLocal(name: string): string | null {
  return client.storage.read(name);
}

/** Stores a text under a name; null removes it. False if the browser stores nothing. */
export function writeLocal(name: string, text: string | null): boolean {
  return client.storage.write(name, text);
}
