/** Italian texts for the map, ratings, speech, notifications, sharing and offline copies. */
import type { messageToolTextsEn } from '../en/message-tools.ts';
import type { TextTranslations } from '../types.ts';

export const messageToolTextsIt: TextTranslations<typeof messageToolTextsEn, 'one' | 'many' | 'other'> = {
  matchAt: '{n} di {of}',
  nextFound: 'Risultato successivo',
  previousFound: 'Risultato precedente',
  zoomIn: 'Ingrandisci',
  zoomOut: 'Riduci',
  showWholeTree: 'Mostra l’intero albero',
  loadingTree: 'Caricamento dell’albero…',
  loadingTreeShare: 'Caricamento dell’albero: {share}%',
  goodReply: 'Buona risposta',
  badReply: 'Risposta sbagliata',
  ratedGood: 'Valutata buona',
  ratedBad: 'Valutata sbagliata',
  removeRating: 'Rimuovi valutazione',
  ratingRemoved: 'Valutazione rimossa',
  readAloud: 'Leggi ad alta voce',
  stopReading: 'Interrompi la lettura',
  dictate: 'Detta',
  stopDictating: 'Termina la dettatura',
  dictateHint: 'Detta. Il browser può inviare la registrazione al suo produttore.',
  dictateFailed: 'La dettatura non ha funzionato',
  readAloudFailed: 'La lettura ad alta voce non ha funzionato',
  notifyOffer: 'Mostrare una notifica quando finisce una risposta lunga?',
  turnOn: 'Attiva',
  replyFinished: 'Risposta completata',
  notifySetting: 'Notifiche',
  notifyHint: 'Quando una risposta di oltre dieci secondi finisce mentre questa scheda è nascosta',
  notifyBlocked: 'Bloccate nelle impostazioni di questo browser',
  sharedBy: 'Condiviso da {name}',
  shareWho: 'Chi legge non ha bisogno di un account.',
  shareNamesYou: 'La pagina mostra il tuo nome: {name}.',
  shareOnlyHere:
    'Questo indirizzo funziona solo su questo computer. Per altre persone, avvia il server su un indirizzo che possano raggiungere.',
  offlineCopies: 'Copie offline',
  offlineCopiesHint:
    'Le ultime {n} chat aperte si possono leggere in questo browser senza il server. Le chat temporanee non vengono mai salvate.',
  removeCopies: 'Rimuovi copie',
  copiesRemoved: 'Copie rimosse',
};
