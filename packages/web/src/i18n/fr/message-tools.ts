/** French texts for the map, ratings, speech, notifications, sharing and offline copies. */
import type { messageToolTextsEn } from '../en/message-tools.ts';
import type { TextTranslations } from '../types.ts';

export const messageToolTextsFr: TextTranslations<typeof messageToolTextsEn, 'one' | 'many' | 'other'> = {
  matchAt: '{n} sur {of}',
  nextFound: 'Résultat suivant',
  previousFound: 'Résultat précédent',
  zoomIn: 'Zoom avant',
  zoomOut: 'Zoom arrière',
  showWholeTree: 'Afficher tout l’arbre',
  loadingTree: 'Chargement de l’arbre…',
  loadingTreeShare: 'Chargement de l’arbre : {share} %',
  goodReply: 'Bonne réponse',
  badReply: 'Mauvaise réponse',
  ratedGood: 'Notée comme bonne',
  ratedBad: 'Notée comme mauvaise',
  removeRating: 'Retirer la note',
  ratingRemoved: 'Note retirée',
  readAloud: 'Lire à voix haute',
  stopReading: 'Arrêter la lecture',
  dictate: 'Dicter',
  stopDictating: 'Arrêter la dictée',
  dictateHint: 'Dicter. Votre navigateur peut envoyer l’enregistrement à son éditeur.',
  dictateFailed: 'La dictée n’a pas fonctionné',
  readAloudFailed: 'La lecture à voix haute n’a pas fonctionné',
  notifyOffer: 'Afficher une notification à la fin des longues réponses ?',
  turnOn: 'Activer',
  replyFinished: 'Réponse terminée',
  notifySetting: 'Notifications du navigateur',
  notifyHint: 'Quand une réponse de plus de dix secondes se termine alors que cet onglet est masqué',
  notifyBlocked: 'Bloquées dans les réglages de ce navigateur',
  sharedBy: 'Partagé par {name}',
  shareWho: 'Les lecteurs n’ont pas besoin de compte.',
  shareNamesYou: 'La page indique votre nom : {name}.',
  shareOnlyHere:
    'Cette adresse ne fonctionne que sur cet ordinateur. Pour d’autres personnes, démarrez le serveur sur une adresse qu’elles peuvent joindre.',
  offlineCopies: 'Copies hors ligne',
  offlineCopiesHint:
    'Les {n} dernières discussions ouvertes peuvent être lues dans ce navigateur sans le serveur. Les discussions temporaires ne sont jamais enregistrées.',
  removeCopies: 'Supprimer les copies',
  copiesRemoved: 'Copies supprimées',
};
