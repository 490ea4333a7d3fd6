import type { LanguageTexts } from '../types.ts';
import { commandWordsPtBr } from './command-words.ts';
import { commandSentencesPtBr, outputWordsPtBr, unitTextsPtBr } from './commands.ts';
import { argumentNamesPtBr, builtInNamesPtBr } from './names.ts';
import { pageTextsPtBr } from './page.ts';
import { refusalTextsPtBr } from './refusals.ts';

/** The Brazilian Portuguese texts of the page, of commands and of errors. */
export const languageTextsPtBr: LanguageTexts = {
  page: pageTextsPtBr,
  commandWords: commandWordsPtBr,
  sentences: commandSentencesPtBr,
  words: outputWordsPtBr,
  units: unitTextsPtBr,
  argumentNames: argumentNamesPtBr,
  ownNames: builtInNamesPtBr,
  refusals: refusalTextsPtBr,
};
