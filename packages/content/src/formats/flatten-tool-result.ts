import { isText, type Message } from '@coppice/core';
import { blockDefinitionOf } from '../blocks/index.ts';

/** Converts a tool result to one text, for formats that need it. Other blocks are replaced by their text form. */
export function flattenToolResult({ content }: Message): string {
  let text = '';
  for (const block of content) {
    if (isText(block)) text += block.text;
    else text += `${text === '' ? '' : '\n'}${blockDefinitionOf(block).toText(block)}`;
  }
  return text;
}
