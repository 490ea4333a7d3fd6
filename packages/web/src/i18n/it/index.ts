import type { LanguageTexts } from '../types.ts';
import { commandWordsIt } from './command-words.ts';
import { sentencesIt, unitsIt, wordsIt } from './commands.ts';
import { argumentNamesIt, ownNamesIt } from './names.ts';
import { it } from './page.ts';
import { refusalsIt } from './refusals.ts';

/** Italian. */
export const textsIt: LanguageTexts = {
  page: it,
  commandWords: commandWordsIt,
  sentences: sentencesIt,
  words: wordsIt,
  units: unitsIt,
  argumentNames: argumentNamesIt,
  ownNames: ownNamesIt,
  refusals: refusalsIt,
};
