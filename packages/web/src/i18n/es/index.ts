import type { LanguageTexts } from '../types.ts';
import { commandWordsEs } from './command-words.ts';
import { sentencesEs, unitsEs, wordsEs } from './commands.ts';
import { argumentNamesEs, ownNamesEs } from './names.ts';
import { es } from './page.ts';
import { refusalsEs } from './refusals.ts';

/** Spanish. */
export const textsEs: LanguageTexts = {
  page: es,
  commandWords: commandWordsEs,
  sentences: sentencesEs,
  words: wordsEs,
  units: unitsEs,
  argumentNames: argumentNamesEs,
  ownNames: ownNamesEs,
  refusals: refusalsEs,
};
