import { isText, type Message } from '@coppice/core';
import { blockDefinitionOf } from '../blocks/index.ts';

/** Returns a tool result as one text, for formats that need it; other blocks are replaced by their text form. */
export function flattenToolResult({ content }: Message): string {
  let text = '';
  for (const block of content) {
    if (isText(block)) text += block.text;
    else text += `${text === '' ? '' : '\n'}${blockDefinitionOf(block).toText(block)}`;
  }
  return text;
}
