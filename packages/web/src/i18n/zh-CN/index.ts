import type { LanguageTexts } from '../types.ts';
import { commandWordsZhCn } from './command-words.ts';
import { commandSentencesZhCn, outputWordsZhCn, unitTextsZhCn } from './commands.ts';
import { argumentNamesZhCn, builtInNamesZhCn } from './names.ts';
import { pageTextsZhCn } from './page.ts';
import { refusalTextsZhCn } from './refusals.ts';

/** Simplified Chinese. */
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
