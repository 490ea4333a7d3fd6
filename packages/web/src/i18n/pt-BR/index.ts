import type { LanguageTexts } from '../types.ts';
import { commandWordsPtBr } from './command-words.ts';
import { sentencesPtBr, unitsPtBr, wordsPtBr } from './commands.ts';
import { argumentNamesPtBr, ownNamesPtBr } from './names.ts';
import { ptBr } from './page.ts';
import { refusalsPtBr } from './refusals.ts';

/** Brazilian Portuguese. */
export const textsPtBr: LanguageTexts = {
  page: ptBr,
  commandWords: commandWordsPtBr,
  sentences: sentencesPtBr,
  words: wordsPtBr,
  units: unitsPtBr,
  argumentNames: argumentNamesPtBr,
  ownNames: ownNamesPtBr,
  refusals: refusalsPtBr,
};
