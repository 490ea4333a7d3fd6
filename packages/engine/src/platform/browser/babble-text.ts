/** The training text of the babble model is a file, which a browser does not have. */
import { refuseInBrowser } from './refuse.ts';

/** Throws; the model `offline/guide` works in a browser. */
export function readBabbleText(): string {
  return refuseInBrowser('The model offline/babble');
}
