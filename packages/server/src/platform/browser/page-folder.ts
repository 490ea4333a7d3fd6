/** A browser has no folder with the built page. */
import type { PageFile } from '../node/page-folder.ts';
import { refuseInBrowser } from './refuse.ts';

export type { PageFile };

/** Throws, because a server that runs in a browser serves no page. */
export function readPageFolder(): ReadonlyMap<string, PageFile> {
  return refuseInBrowser('A folder with the page');
}
