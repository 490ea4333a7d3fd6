import { isText, type Message } from '@coppice/core';
import { blockDefinitionOf } from '../blocks/index.ts';

/** What a tool returned, for formats in which a result is one text; what is no text in it is named there. */
export function resultText({ content }: Message): string {
  let text = '';
  for (const block of content) {
    if (isText(block)) text += block.text;
    else text += `${text === '' ? '' : '\n'}${blockDefinitionOf(block).toText(block)}`;
  }
  return text;
}
