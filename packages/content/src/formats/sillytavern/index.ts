// Chats of SillyTavern: one message per line, alternatives as swipes, branches and checkpoints as copied files.
import type { Json, JsonObject } from '@coppice/core';
import { defineFormat } from '../contract.ts';
import { isJsonObject } from '../fields.ts';
import type { InputSample, SampleFile } from '../input.ts';
import { isSillytavernHeader, isSillytavernMessage, read } from './read.ts';

function isSillytavernChat(file: SampleFile): boolean {
  const shown: readonly (Json | undefined)[] = file.lines.length > 0 ? file.lines : [file.json];
  const lines = shown.filter((line): line is JsonObject => isJsonObject(line));
  return lines.some(isSillytavernMessage) || (lines[0] !== undefined && isSillytavernHeader(lines[0]));
}

function detect(sample: InputSample): number {
  return sample.files.some(isSillytavernChat) ? 0.92 : 0;
}

/**
 * Imports SillyTavern's chat files with their swipes. Branch files are merged into the chat from which they were
 * copied.
 */
export const sillytavern = defineFormat({
  name: 'sillytavern',
  label: 'SillyTavern chat',
  summary: 'Chat files with their swipes; branches and checkpoints join the chat that they were copied from.',
  keeps: ['branches', 'titles', 'models', 'times', 'reasoning', 'pictures', 'usage'],
  reader: { detect, read },
});
