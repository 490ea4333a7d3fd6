/** German texts for what is at hand beside the messages. */
import type { atHandEn } from '../en/at-hand.ts';
import type { Translated } from '../types.ts';

/** The same keys as in English. */
export const atHandDe: Translated<typeof atHandEn, 'one' | 'other'> = {
  matchAt: '{n} von {of}',
  nextFound: 'Nächster Treffer',
  previousFound: 'Vorheriger Treffer',
  zoomIn: 'Vergrößern',
  zoomOut: 'Verkleinern',
  showWholeTree: 'Ganzen Baum zeigen',
  loadingTree: 'Der Baum wird geladen …',
  loadingTreeShare: 'Der Baum wird geladen: {share} %',
};
