/** German texts for the map, ratings, speech, notifications, sharing and offline copies. */
import type { messageToolTextsEn } from '../en/message-tools.ts';
import type { TextTranslations } from '../types.ts';

export const messageToolTextsDe: TextTranslations<typeof messageToolTextsEn, 'one' | 'other'> = {
  matchAt: '{n} von {of}',
  nextFound: 'Nächster Treffer',
  previousFound: 'Vorheriger Treffer',
  zoomIn: 'Vergrößern',
  zoomOut: 'Verkleinern',
  showWholeTree: 'Ganzen Baum zeigen',
  loadingTree: 'Der Baum wird geladen…',
  loadingTreeShare: 'Der Baum wird geladen: {share} %',
  goodReply: 'Gute Antwort',
  badReply: 'Schlechte Antwort',
  ratedGood: 'Als gut bewertet',
  ratedBad: 'Als schlecht bewertet',
  removeRating: 'Bewertung entfernen',
  ratingRemoved: 'Bewertung entfernt',
  readAloud: 'Vorlesen',
  stopReading: 'Vorlesen beenden',
  dictate: 'Diktieren',
  stopDictating: 'Diktat beenden',
  dictateHint: 'Diktieren. Dein Browser schickt die Aufnahme womöglich an seinen Hersteller.',
  dictateFailed: 'Das Diktat ist fehlgeschlagen',
  readAloudFailed: 'Das Vorlesen ist fehlgeschlagen',
  notifyOffer: 'Bei langen Antworten benachrichtigen, wenn sie fertig sind?',
  turnOn: 'Einschalten',
  replyFinished: 'Antwort fertig',
  notifySetting: 'Benachrichtigungen',
  notifyHint: 'Wenn eine Antwort von mehr als zehn Sekunden endet, während dieser Tab verdeckt ist',
  notifyBlocked: 'In den Einstellungen dieses Browsers gesperrt',
  sharedBy: 'Geteilt von {name}',
  shareWho: 'Wer liest, braucht kein Konto.',
  shareNamesYou: 'Die Seite nennt deinen Namen: {name}.',
  shareOnlyHere:
    'Diese Adresse funktioniert nur auf diesem Computer. Für andere starte den Server unter einer Adresse, die sie erreichen.',
  offlineCopies: 'Offline-Kopien',
  offlineCopiesHint:
    'Die letzten {n} geöffneten Chats lassen sich in diesem Browser ohne den Server lesen. Temporäre Chats werden nie gespeichert.',
  removeCopies: 'Kopien entfernen',
  copiesRemoved: 'Kopien entfernt',
};
