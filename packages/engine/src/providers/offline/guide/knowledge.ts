/** What the guide knows: passages of the documentation, made by `npm run guide`. */
import data from './knowledge.json' with { type: 'json' };

/** The sentences under one heading of one document. */
export interface Passage {
  /** The document, from the top of the repository. */
  readonly path: string;
  /** The headings above it, the nearest last. */
  readonly title: string;
  readonly anchor: string;
  readonly sentences: readonly string[];
}

/** All that the guide knows. */
export interface Knowledge {
  readonly passages: readonly Passage[];
}

/** The checked-in knowledge. */
export const knowledge: Knowledge = data;
