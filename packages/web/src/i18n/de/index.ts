import type { LanguageTexts } from '../types.ts';
import { commandWordsDe } from './command-words.ts';
import { commandSentencesDe, outputWordsDe, unitTextsDe } from './commands.ts';
import { argumentNamesDe, builtInNamesDe } from './names.ts';
import { pageTextsDe } from './page.ts';
import { refusalTextsDe } from './refusals.ts';

/** The German texts of the page, of commands and of errors. */
export const languageTextsDe: LanguageTexts = {
  page: pageTextsDe,
  commandWords: commandWordsDe,
  sentences: commandSentencesDe,
  words: outputWordsDe,
  units: unitTextsDe,
  argumentNames: argumentNamesDe,
  ownNames: builtInNamesDe,
  refusals: refusalTextsDe,
};
