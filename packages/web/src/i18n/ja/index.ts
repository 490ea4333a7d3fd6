import type { LanguageTexts } from '../types.ts';
import { commandWordsJa } from './command-words.ts';
import { sentencesJa, unitsJa, wordsJa } from './commands.ts';
import { argumentNamesJa, ownNamesJa } from './names.ts';
import { ja } from './page.ts';
import { refusalsJa } from './refusals.ts';

/** Japanese. */
export const textsJa: LanguageTexts = {
  page: ja,
  commandWords: commandWordsJa,
  sentences: sentencesJa,
  words: wordsJa,
  units: unitsJa,
  argumentNames: argumentNamesJa,
  ownNames: ownNamesJa,
  refusals: refusalsJa,
};
