/** Spanish texts for what is at hand beside the messages. */
import type { atHandEn } from '../en/at-hand.ts';
import type { Translated } from '../types.ts';

/** The same keys as in English. */
export const atHandEs: Translated<typeof atHandEn, 'one' | 'many' | 'other'> = {
  matchAt: '{n} de {of}',
  nextFound: 'Resultado siguiente',
  previousFound: 'Resultado anterior',
  zoomIn: 'Acercar',
  zoomOut: 'Alejar',
  showWholeTree: 'Mostrar todo el árbol',
  loadingTree: 'Cargando el árbol…',
  loadingTreeShare: 'Cargando el árbol: {share} %',
};
