import { messageKit } from '@coppice/content';
import { textMessage } from '@coppice/core';

/** The tokens that instructions add to every new chat. */
export function countInstructionTokens(text: string): number {
  return text.trim() === '' ? 0 : messageKit.tokens(textMessage('system', text));
}
