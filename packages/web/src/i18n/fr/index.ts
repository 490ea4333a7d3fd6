import type { LanguageTexts } from '../types.ts';
import { commandWordsFr } from './command-words.ts';
import { commandSentencesFr, outputWordsFr, unitTextsFr } from './commands.ts';
import { argumentNamesFr, builtInNamesFr } from './names.ts';
import { pageTextsFr } from './page.ts';
import { refusalTextsFr } from './refusals.ts';

/** The French texts of the page, of commands and of errors. */
export const languageTextsFr: LanguageTexts = {
  page: pageTextsFr,
  commandWords: commandWordsFr,
  sentences: commandSentencesFr,
  words: outputWordsFr,
  units: unitTextsFr,
  argumentNames: argumentNamesFr,
  ownNames: builtInNamesFr,
  refusals: refusalTextsFr,
};
