import type { LanguageTexts } from '../types.ts';
import { commandWordsAr } from './command-words.ts';
import { commandSentencesAr, outputWordsAr, unitTextsAr } from './commands.ts';
import { argumentNamesAr, builtInNamesAr } from './names.ts';
import { pageTextsAr } from './page.ts';
import { refusalTextsAr } from './refusals.ts';

/** The Arabic texts of the page, of commands and of errors. */
export const languageTextsAr: LanguageTexts = {
  page: pageTextsAr,
  commandWords: commandWordsAr,
  sentences: commandSentencesAr,
  words: outputWordsAr,
  units: unitTextsAr,
  argumentNames: argumentNamesAr,
  ownNames: builtInNamesAr,
  refusals: refusalTextsAr,
};
