/** Searches the pages of the site with the same search as the built-in guide of Coppice. */
import { createPassageIndex, type GuidePassage } from '@coppice/engine/guide-search';

/** A section that matches a search. */
export interface SearchHit {
  readonly href: string;
  readonly title: string;
  readonly text: string;
}

/**
 * Loads the passages and returns the search function. `root` is the path from the current page to the root of the site.
 */
export async function openSearch(root: string): Promise<(words: string) => readonly SearchHit[]> {
  const response = await fetch(`${root}search.json`);
  const passages: readonly GuidePassage[] = await response.json();
  const index = createPassageIndex(passages);
  return (words) =>
    index.search(words, 12).map(({ passage: { path, anchor, title, sentences } }) => ({
      href: `${root}${path}#${anchor}`,
      title,
      text: (sentences[0] ?? '').slice(0, 160),
    }));
}
