/** A browser has no folder with the built page. */
import type { PageFile } from '../node/page-folder.ts';
import { refuseInBrowser } from './refuse.ts';

export type { PageFile };

/** Throws. The app itself serves no page in a browser. */
export function readPageFolder(): ReadonlyMap<string, PageFile> {
  return refuseInBrowser('A folder with the page');
}
