import type { LanguageTexts } from '../types.ts';
import { commandWordsZhCn } from './command-words.ts';
import { commandSentencesZhCn, outputWordsZhCn, unitTextsZhCn } from './commands.ts';
import { argumentNamesZhCn, builtInNamesZhCn } from './names.ts';
import { pageTextsZhCn } from './page.ts';
import { refusalTextsZhCn } from './refusals.ts';

/** The simplified Chinese texts of the page, of commands and of errors. */
export const languageTextsZhCn: LanguageTexts = {
  page: pageTextsZhCn,
  commandWords: commandWordsZhCn,
  sentences: commandSentencesZhCn,
  words: outputWordsZhCn,
  units: unitTextsZhCn,
  argumentNames: argumentNamesZhCn,
  ownNames: builtInNamesZhCn,
  refusals: refusalTextsZhCn,
};
