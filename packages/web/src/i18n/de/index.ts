import type { LanguageTexts } from '../types.ts';
import { commandWordsDe } from './command-words.ts';
import { sentencesDe, unitsDe, wordsDe } from './commands.ts';
import { argumentNamesDe, ownNamesDe } from './names.ts';
import { de } from './page.ts';
import { refusalsDe } from './refusals.ts';

/** German. */
export const textsDe: LanguageTexts = {
  page: de,
  commandWords: commandWordsDe,
  sentences: sentencesDe,
  words: wordsDe,
  units: unitsDe,
  argumentNames: argumentNamesDe,
  ownNames: ownNamesDe,
  refusals: refusalsDe,
};
