import type { LanguageTexts } from '../types.ts';
import { commandWordsAr } from './command-words.ts';
import { sentencesAr, unitsAr, wordsAr } from './commands.ts';
import { argumentNamesAr, ownNamesAr } from './names.ts';
import { ar } from './page.ts';
import { refusalsAr } from './refusals.ts';

/** Arabic. */
export const textsAr: LanguageTexts = {
  page: ar,
  commandWords: commandWordsAr,
  sentences: sentencesAr,
  words: wordsAr,
  units: unitsAr,
  argumentNames: argumentNamesAr,
  ownNames: ownNamesAr,
  refusals: refusalsAr,
};
