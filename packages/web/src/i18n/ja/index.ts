import type { LanguageTexts } from '../types.ts';
import { commandWordsJa } from './command-words.ts';
import { commandSentencesJa, outputWordsJa, unitTextsJa } from './commands.ts';
import { argumentNamesJa, builtInNamesJa } from './names.ts';
import { pageTextsJa } from './page.ts';
import { refusalTextsJa } from './refusals.ts';

/** The Japanese texts of the page, of commands and of errors. */
export const languageTextsJa: LanguageTexts = {
  page: pageTextsJa,
  commandWords: commandWordsJa,
  sentences: commandSentencesJa,
  words: outputWordsJa,
  units: unitTextsJa,
  argumentNames: argumentNamesJa,
  ownNames: builtInNamesJa,
  refusals: refusalTextsJa,
};
