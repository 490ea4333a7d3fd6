/** French texts for what is at hand beside the messages. */
import type { atHandEn } from '../en/at-hand.ts';
import type { Translated } from '../types.ts';

/** The same keys as in English. */
export const atHandFr: Translated<typeof atHandEn, 'one' | 'many' | 'other'> = {
  matchAt: '{n} sur {of}',
  nextFound: 'Résultat suivant',
  previousFound: 'Résultat précédent',
  zoomIn: 'Zoom avant',
  zoomOut: 'Zoom arrière',
  showWholeTree: 'Afficher tout l’arbre',
  loadingTree: 'Chargement de l’arbre…',
  loadingTreeShare: 'Chargement de l’arbre : {share} %',
};
