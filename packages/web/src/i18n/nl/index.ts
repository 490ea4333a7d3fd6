import type { LanguageTexts } from '../types.ts';
import { commandWordsNl } from './command-words.ts';
import { commandSentencesNl, outputWordsNl, unitTextsNl } from './commands.ts';
import { argumentNamesNl, builtInNamesNl } from './names.ts';
import { pageTextsNl } from './page.ts';
import { refusalTextsNl } from './refusals.ts';

/** The Dutch texts of the page, of commands and of errors. */
export const languageTextsNl: LanguageTexts = {
  page: pageTextsNl,
  commandWords: commandWordsNl,
  sentences: commandSentencesNl,
  words: outputWordsNl,
  units: unitTextsNl,
  argumentNames: argumentNamesNl,
  ownNames: builtInNamesNl,
  refusals: refusalTextsNl,
};
