import type { LanguageTexts } from '../types.ts';
import { commandWordsFr } from './command-words.ts';
import { sentencesFr, unitsFr, wordsFr } from './commands.ts';
import { argumentNamesFr, ownNamesFr } from './names.ts';
import { fr } from './page.ts';
import { refusalsFr } from './refusals.ts';

/** French. */
export const textsFr: LanguageTexts = {
  page: fr,
  commandWords: commandWordsFr,
  sentences: sentencesFr,
  words: wordsFr,
  units: unitsFr,
  argumentNames: argumentNamesFr,
  ownNames: ownNamesFr,
  refusals: refusalsFr,
};
