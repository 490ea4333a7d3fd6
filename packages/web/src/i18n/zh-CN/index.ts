import type { LanguageTexts } from '../types.ts';
import { commandWordsZhCn } from './command-words.ts';
import { sentencesZhCn, unitsZhCn, wordsZhCn } from './commands.ts';
import { argumentNamesZhCn, ownNamesZhCn } from './names.ts';
import { zhCn } from './page.ts';
import { refusalsZhCn } from './refusals.ts';

/** Simplified Chinese. */
export const textsZhCn: LanguageTexts = {
  page: zhCn,
  commandWords: commandWordsZhCn,
  sentences: sentencesZhCn,
  words: wordsZhCn,
  units: unitsZhCn,
  argumentNames: argumentNamesZhCn,
  ownNames: ownNamesZhCn,
  refusals: refusalsZhCn,
};
