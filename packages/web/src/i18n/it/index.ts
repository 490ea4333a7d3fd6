import type { LanguageTexts } from '../types.ts';
import { commandWordsIt } from './command-words.ts';
import { commandSentencesIt, outputWordsIt, unitTextsIt } from './commands.ts';
import { argumentNamesIt, builtInNamesIt } from './names.ts';
import { pageTextsIt } from './page.ts';
import { refusalTextsIt } from './refusals.ts';

/** The Italian texts of the page, of commands and of errors. */
export const languageTextsIt: LanguageTexts = {
  page: pageTextsIt,
  commandWords: commandWordsIt,
  sentences: commandSentencesIt,
  words: outputWordsIt,
  units: unitTextsIt,
  argumentNames: argumentNamesIt,
  ownNames: builtInNamesIt,
  refusals: refusalTextsIt,
};
