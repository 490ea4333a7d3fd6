/** Brazilian Portuguese texts for what is at hand beside the messages. */
import type { atHandEn } from '../en/at-hand.ts';
import type { Translated } from '../types.ts';

/** The same keys as in English. */
export const atHandPtBr: Translated<typeof atHandEn, 'one' | 'many' | 'other'> = {
  matchAt: '{n} de {of}',
  nextFound: 'Próximo resultado',
  previousFound: 'Resultado anterior',
  zoomIn: 'Ampliar',
  zoomOut: 'Reduzir',
  showWholeTree: 'Mostrar a árvore inteira',
  loadingTree: 'Carregando a árvore…',
  loadingTreeShare: 'Carregando a árvore: {share}%',
};
