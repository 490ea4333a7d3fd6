/** Splits Markdown into slices that are parsed and rendered one at a time, so that no text blocks the page. */

/** A part of a text that is parsed separately. */
export interface MarkdownSlice {
  /** The offset in the whole text. */
  readonly at: number;
  readonly text: string;
  /** Text that is prepended for parsing: the header of a table that was split. */
  readonly prefix: string;
  /** The prefix of the next slice. */
  readonly carry: string;
  /** A line that is too long to parse as Markdown: shown as text. */
  readonly plain: boolean;
  /** The approximate number of elements. */
  readonly weight: number;
}

/** The beginning of a text in slices, which can be continued. */
export interface SlicedMarkdown {
  readonly text: string;
  readonly list: readonly MarkdownSlice[];
  /** Where the slices end: the rest has not been processed. */
  readonly end: number;
}

/** How much of a text is processed. */
export interface SliceLimit {
  readonly length: number;
  readonly weight: number;
}

/** A slice ends at the next possible position after this many characters. */
export const targetSliceCharacters = 24_000;
/** A slice ends at the next possible position after this many elements, estimated by its marks and lines. */
export const targetSliceElements = 1_000;
// Parsing a line looks ahead to its end at every mark, so a very long one would cost quadratic time.
const longestLine = 8_000;

// The elements of a code block's header, with its language and buttons.
const codeWeight = 12;
// A block costs a component in addition to its element.
const blockWeight = 1;

const fence = /^ {0,3}(`{3,}|~{3,})([^\n]*)/;
const delimiterRow = /^ {0,3}\|?(?: *:?-+:? *\|)+(?: *:?-+:? *)?$/;

function marksIn(line: string): number {
  // Indented text is parsed once for each possible level.
  let marks = 1 + (/^[ \t]*/.exec(line)?.[0].length ?? 0) / 4;
  for (let at = 0; at < line.length; at++) {
    const code = line.charCodeAt(at);
    // | * _ ` [ < $ ~ ! >
    if (code === 124 || code === 42 || code === 95 || code === 96 || code === 91) marks++;
    else if (code === 60 || code === 36 || code === 126 || code === 33 || code === 62) marks++;
  }
  return marks;
}

/** Walks a text line by line and records where it can be split. */
class Slicer {
  readonly list: MarkdownSlice[] = [];
  readonly #text: string;
  #start: number;
  #weight = 0;
  #cutWeight = 0;
  /** The last beginning of a block in this slice, and the weight up to there. */
  #block = { at: -1, weight: 0 };
  #fence: { readonly at: number; readonly mark: string; readonly weight: number } | null = null;
  #table: string | null = null;
  #prefix = '';
  #lineBefore = '';

  constructor(text: string, start: number, carry: string) {
    this.#text = text;
    this.#start = start;
    this.#prefix = carry;
    this.#table = carry === '' ? null : carry;
  }

  /** Creates slices until the limit or the end of the text; returns where they end. */
  run({ length, weight }: SliceLimit): number {
    const text = this.#text;
    for (let at = this.#start; at < text.length; ) {
      if (this.#start >= length || this.#cutWeight >= weight) return this.#start;
      const newline = text.indexOf('\n', at);
      const end = newline < 0 ? text.length : newline + 1;
      this.#take(at, end, newline >= 0);
      at = end;
    }
    const open = this.#fence;
    if (open !== null && text.length - this.#start > targetSliceCharacters) this.#cut(open.at, open.weight);
    this.#cut(text.length, this.#weight);
    return text.length;
  }

  #cut(end: number, weight: number, { plain = false, carry = '' } = {}): void {
    if (end <= this.#start) return;
    const text = this.#text.slice(this.#start, end);
    this.list.push({ at: this.#start, text, prefix: this.#prefix, carry, plain, weight });
    this.#start = end;
    this.#weight -= weight;
    this.#cutWeight += weight;
    this.#block = { at: -1, weight: 0 };
    this.#prefix = carry;
  }

  #take(at: number, end: number, complete: boolean): void {
    if (end - at > longestLine && this.#fence === null) {
      this.#cut(at, this.#weight);
      this.#weight += 1;
      this.#cut(end, 1, { plain: true });
      this.#lineBefore = '';
      return;
    }
    const line = this.#text.slice(at, complete ? end - 1 : end);
    if (this.#inFence(at, end, line)) return;
    const isBlank = line.trim() === '';
    const begins = !isBlank && this.#lineBefore === '';
    if (begins && at > this.#start && !/^\s/.test(line)) this.#block = { at, weight: this.#weight };
    if (isBlank) this.#table = null;
    else if (delimiterRow.test(line) && this.#lineBefore.includes('|')) this.#table = `${this.#lineBefore}\n${line}\n`;
    this.#lineBefore = isBlank ? '' : line;
    this.#weight += marksIn(line) + (begins ? blockWeight : 0);
    if (!complete || (end - this.#start < targetSliceCharacters && this.#weight < targetSliceElements)) return;
    const { at: block, weight } = this.#block;
    // Splits at the last block, unless the slice would be too small; then at the end of this line.
    if (block - this.#start > (end - this.#start) / 4) this.#cut(block, weight);
    else {
      this.#cut(end, this.#weight, { carry: this.#table ?? '' });
      this.#lineBefore = '';
    }
  }

  /** Tracks code fences, which are not split. */
  #inFence(at: number, end: number, line: string): boolean {
    const match = fence.exec(line);
    const mark = match?.[1];
    const open = this.#fence;
    if (open === null) {
      if (mark === undefined || (mark.startsWith('`') && match?.[2]?.includes('`') === true)) return false;
      this.#fence = { at, mark, weight: this.#weight };
      this.#weight += codeWeight;
      this.#table = null;
      return true;
    }
    const same = mark !== undefined && mark[0] === open.mark[0] && mark.length >= open.mark.length;
    const closes = same && match?.[2]?.trim() === '';
    if (!closes) {
      // A line of code counts as two elements. Long code has a limit of its own when it is rendered.
      if (this.#weight - open.weight < targetSliceElements) this.#weight += 2;
      return true;
    }
    this.#fence = null;
    this.#lineBefore = '';
    // A long code block is a slice of its own.
    if (end - this.#start > targetSliceCharacters) this.#cut(open.at, open.weight);
    if (end - this.#start > targetSliceCharacters || this.#weight >= targetSliceElements) this.#cut(end, this.#weight);
    return true;
  }
}

/**
 * Splits the beginning of a text into slices. If it continues an earlier text, all slices but the last stay the same
 * objects. A slice depends only on the text before its end, so that a streamed text is split like a complete one.
 */
export function sliceMarkdown(text: string, limit: SliceLimit, before: SlicedMarkdown | null = null): SlicedMarkdown {
  const clean = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  if (before === null || !clean.startsWith(before.text)) return continueSlices(clean, [], limit);
  // The last slice may have ended with the text and continue now.
  const kept = before.end < before.text.length ? before.list : before.list.slice(0, -1);
  return continueSlices(clean, kept, limit);
}

function continueSlices(text: string, kept: readonly MarkdownSlice[], limit: SliceLimit): SlicedMarkdown {
  const last = kept.at(-1);
  const start = last === undefined ? 0 : last.at + last.text.length;
  const weight = kept.reduce((sum, slice) => sum + slice.weight, 0);
  const slicer = new Slicer(text, start, last?.carry ?? '');
  const end = slicer.run({ length: limit.length, weight: limit.weight - weight });
  return { text, list: [...kept, ...slicer.list], end };
}
