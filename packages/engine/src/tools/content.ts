/** Tool results that may contain images and attachments in addition to text. */
import { utf8Length } from '@coppice/content';
import type { Block, TextBlock } from '@coppice/core';
import { isText } from '@coppice/core';
import { truncateToBytes } from './result-text.ts';

/** A result of several blocks, as MCP tools return it. {@link limitResultBlocks} marks the text of an error. */
export class ToolResultContent {
  readonly blocks: readonly Block[];
  readonly isError: boolean;

  constructor(blocks: readonly Block[], isError = false) {
    this.blocks = blocks;
    this.isError = isError;
  }
}

/** The largest text and the largest total of other bytes in a result. */
interface ContentLimits {
  readonly resultBytes: number;
  readonly mediaBytes: number;
}

// Many small blocks cost more than one long block, and no tool needs more than this.
const mostBlocks = 256;

function toolTextBlock(text: string): TextBlock {
  return { type: 'text', text };
}

/**
 * Limits the blocks of a result: text is cut between characters, other blocks are kept or left out as a whole, and a
 * note replaces what is missing. A result without blocks becomes a text that says the tool is done.
 */
export function limitResultBlocks(
  { blocks, isError }: ToolResultContent,
  { resultBytes, mediaBytes }: ContentLimits,
): { readonly blocks: readonly Block[]; readonly truncated: boolean } {
  const kept: Block[] = [];
  let [text, media, truncated] = [resultBytes, mediaBytes, false];
  const mark = isError ? 'Error (tool/failed): ' : '';
  const [first] = blocks;
  const marked =
    mark === ''
      ? blocks
      : first !== undefined && isText(first)
        ? [toolTextBlock(mark + first.text), ...blocks.slice(1)]
        : [toolTextBlock(`${mark}the tool says that it failed.`), ...blocks];
  for (const block of marked) {
    if (kept.length === mostBlocks || (isText(block) && text <= 0)) {
      truncated = true;
      kept.push(toolTextBlock(`[truncated: the result has ${marked.length} parts, ${kept.length} are shown]`));
      break;
    }
    if (isText(block)) {
      const within = truncateToBytes(block.text, text);
      truncated ||= within.truncated;
      text = within.truncated ? 0 : text - utf8Length(within.text);
      kept.push(within.truncated ? toolTextBlock(within.text) : block);
      continue;
    }
    const size = utf8Length(JSON.stringify(block));
    if (size <= media) {
      media -= size;
      kept.push(block);
    } else {
      truncated = true;
      kept.push(toolTextBlock(`[left out: ${block.type} of ${size} bytes, the limit is ${mediaBytes}]`));
    }
  }
  if (kept.length === 0) kept.push(toolTextBlock('done'));
  return { blocks: kept, truncated };
}
