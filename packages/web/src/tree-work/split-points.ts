/** Where a text can be cut in two: between words, never with a blank half. */
import { isText, type Node, textOf } from '@coppice/core';

/** The offsets after each word and the blanks behind it, all but the last. */
export function splitPoints(text: string): readonly number[] {
  const places: number[] = [];
  for (const match of text.matchAll(/\S+\s*/g)) {
    const place = match.index + match[0].length;
    // A mark that stands on a blank is one character with it.
    if (!/^\p{M}/u.test(text.slice(place, place + 2))) places.push(place);
  }
  // The end is no place, and one before the first word would leave nothing above it.
  if (places.at(-1) === text.length) places.pop();
  return places;
}

/** The index of the place nearest to an offset. */
export function nearestSplitPoint(places: readonly number[], offset: number): number {
  let low = 0;
  let high = places.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  const before = places[low - 1];
  const here = places[low];
  return before !== undefined && here !== undefined && offset - before < here - offset ? low - 1 : low;
}

/** Where somebody would most likely cut: the paragraph that ends nearest to the middle, else the sentence, else a word. */
export function likelySplitPoint(text: string, places: readonly number[]): number {
  const middle = text.length / 2;
  for (const end of [/\n\s*\n\s*$/, /[.!?…]["'”’)\]]*\s+$/]) {
    let best = -1;
    for (const [index, place] of places.entries()) {
      if (!end.test(text.slice(Math.max(0, place - 12), place))) continue;
      if (best < 0 || Math.abs(place - middle) < Math.abs((places[best] ?? 0) - middle)) best = index;
    }
    if (best >= 0) return best;
  }
  return nearestSplitPoint(places, middle);
}

/** Whether a message can be split: what somebody or a model said, in words alone, and at least two of them. */
export function canSplit(node: Node): boolean {
  const { message, kind, role, status } = node;
  if (kind !== 'message' || message === null || (role !== 'user' && role !== 'assistant') || status === 'pending')
    return false;
  return message.content.every((block) => isText(block)) && /\S\s+\S/.test(textOf(message));
}
