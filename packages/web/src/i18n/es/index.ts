import type { LanguageTexts } from '../types.ts';
import { commandWordsEs } from './command-words.ts';
import { commandSentencesEs, outputWordsEs, unitTextsEs } from './commands.ts';
import { argumentNamesEs, builtInNamesEs } from './names.ts';
import { pageTextsEs } from './page.ts';
import { refusalTextsEs } from './refusals.ts';

/** The Spanish texts of the page, of commands and of errors. */
export const languageTextsEs: LanguageTexts = {
  page: pageTextsEs,
  commandWords: commandWordsEs,
  sentences: commandSentencesEs,
  words: outputWordsEs,
  units: unitTextsEs,
  argumentNames: argumentNamesEs,
  ownNames: builtInNamesEs,
  refusals: refusalTextsEs,
};
