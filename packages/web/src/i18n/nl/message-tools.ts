/** Dutch texts for the map, ratings, speech, notifications, sharing and offline copies. */
import type { messageToolTextsEn } from '../en/message-tools.ts';
import type { TextTranslations } from '../types.ts';

export const messageToolTextsNl: TextTranslations<typeof messageToolTextsEn, 'one' | 'other'> = {
  matchAt: '{n} van {of}',
  nextFound: 'Volgende treffer',
  previousFound: 'Vorige treffer',
  zoomIn: 'Inzoomen',
  zoomOut: 'Uitzoomen',
  showWholeTree: 'De hele boom tonen',
  loadingTree: 'De boom wordt geladen…',
  loadingTreeShare: 'De boom wordt geladen: {share}%',
  goodReply: 'Goed antwoord',
  badReply: 'Slecht antwoord',
  ratedGood: 'Als goed beoordeeld',
  ratedBad: 'Als slecht beoordeeld',
  removeRating: 'Beoordeling verwijderen',
  ratingRemoved: 'Beoordeling verwijderd',
  readAloud: 'Voorlezen',
  stopReading: 'Stoppen met voorlezen',
  dictate: 'Dicteren',
  stopDictating: 'Stoppen met dicteren',
  dictateHint: 'Dicteren. Je browser kan de opname naar zijn maker sturen.',
  dictateFailed: 'Het dicteren is niet gelukt',
  readAloudFailed: 'Het voorlezen is niet gelukt',
  notifyOffer: 'Een melding tonen wanneer een lang antwoord klaar is?',
  turnOn: 'Inschakelen',
  replyFinished: 'Antwoord klaar',
  notifySetting: 'Meldingen',
  notifyHint: 'Wanneer een antwoord van meer dan tien seconden klaar is terwijl dit tabblad verborgen is',
  notifyBlocked: 'Geblokkeerd in de instellingen van deze browser',
  sharedBy: 'Gedeeld door {name}',
  shareWho: 'Lezers hebben geen account nodig.',
  shareNamesYou: 'De pagina noemt je: {name}.',
  shareOnlyHere:
    'Dit adres werkt alleen op deze computer. Start de server voor anderen op een adres dat zij kunnen bereiken.',
  offlineCopies: 'Offline kopieën',
  offlineCopiesHint:
    'De laatste {n} chats die je opende kun je in deze browser zonder de server lezen. Tijdelijke chats worden nooit opgeslagen.',
  removeCopies: 'Kopieën verwijderen',
  copiesRemoved: 'Offline kopieën verwijderd',
};
