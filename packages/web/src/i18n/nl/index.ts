import type { LanguageTexts } from '../types.ts';
import { commandWordsNl } from './command-words.ts';
import { sentencesNl, unitsNl, wordsNl } from './commands.ts';
import { argumentNamesNl, ownNamesNl } from './names.ts';
import { nl } from './page.ts';
import { refusalsNl } from './refusals.ts';

/** Dutch. */
export const textsNl: LanguageTexts = {
  page: nl,
  commandWords: commandWordsNl,
  sentences: sentencesNl,
  words: wordsNl,
  units: unitsNl,
  argumentNames: argumentNamesNl,
  ownNames: ownNamesNl,
  refusals: refusalsNl,
};
