/** Spanish texts for the map, ratings, speech, notifications, sharing and offline copies. */
import type { messageToolTextsEn } from '../en/message-tools.ts';
import type { TextTranslations } from '../types.ts';

export const messageToolTextsEs: TextTranslations<typeof messageToolTextsEn, 'one' | 'many' | 'other'> = {
  matchAt: '{n} de {of}',
  nextFound: 'Resultado siguiente',
  previousFound: 'Resultado anterior',
  zoomIn: 'Acercar',
  zoomOut: 'Alejar',
  showWholeTree: 'Mostrar todo el árbol',
  loadingTree: 'Cargando el árbol…',
  loadingTreeShare: 'Cargando el árbol: {share} %',
  goodReply: 'Buena respuesta',
  badReply: 'Mala respuesta',
  ratedGood: 'Valorada como buena',
  ratedBad: 'Valorada como mala',
  removeRating: 'Quitar la valoración',
  ratingRemoved: 'Valoración quitada',
  readAloud: 'Leer en voz alta',
  stopReading: 'Dejar de leer',
  dictate: 'Dictar',
  stopDictating: 'Dejar de dictar',
  dictateHint: 'Dictar. Tu navegador puede enviar la grabación a su fabricante.',
  dictateFailed: 'El dictado no funcionó',
  readAloudFailed: 'La lectura en voz alta no funcionó',
  notifyOffer: '¿Mostrar un aviso cuando termine una respuesta larga?',
  turnOn: 'Activar',
  replyFinished: 'Respuesta terminada',
  notifySetting: 'Avisos',
  notifyHint: 'Cuando una respuesta de más de diez segundos termina con esta pestaña oculta',
  notifyBlocked: 'Bloqueados en los ajustes de este navegador',
  sharedBy: 'Compartido por {name}',
  shareWho: 'Quien lee no necesita una cuenta.',
  shareNamesYou: 'La página muestra tu nombre: {name}.',
  shareOnlyHere:
    'Esta dirección solo funciona en este equipo. Para otras personas, inicia el servidor en una dirección a la que puedan acceder.',
  offlineCopies: 'Copias sin conexión',
  offlineCopiesHint:
    'Los últimos {n} chats abiertos se pueden leer en este navegador sin el servidor. Los chats temporales nunca se guardan.',
  removeCopies: 'Quitar copias',
  copiesRemoved: 'Copias quitadas',
};
