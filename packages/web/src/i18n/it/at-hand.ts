/** Italian texts for what is at hand beside the messages. */
import type { atHandEn } from '../en/at-hand.ts';
import type { Translated } from '../types.ts';

/** The same keys as in English. */
export const atHandIt: Translated<typeof atHandEn, 'one' | 'many' | 'other'> = {
  matchAt: '{n} di {of}',
  nextFound: 'Risultato successivo',
  previousFound: 'Risultato precedente',
  zoomIn: 'Ingrandisci',
  zoomOut: 'Riduci',
  showWholeTree: 'Mostra l’intero albero',
  loadingTree: 'Caricamento dell’albero…',
  loadingTreeShare: 'Caricamento dell’albero: {share}%',
};
