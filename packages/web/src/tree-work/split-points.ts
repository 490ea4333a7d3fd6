/** Where a text can be split: between words, never with a blank half. */
import { isText, type Node, textOf } from '@coppice/core';

/** Finds the offsets at which a word starts, except the first word. */
export function findSplitPoints(text: string): readonly number[] {
  const places: number[] = [];
  for (const match of text.matchAll(/\S+\s*/g)) {
    const place = match.index + match[0].length;
    // A combining mark after a blank forms one character with it.
    if (!/^\p{M}/u.test(text.slice(place, place + 2))) places.push(place);
  }
  // A split at the end of the text would leave a blank half.
  if (places.at(-1) === text.length) places.pop();
  return places;
}

/** Finds the index of the split point nearest to an offset. */
export function findNearestSplitPoint(places: readonly number[], offset: number): number {
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

/** Suggests a split point: the end of the paragraph nearest to the middle, else of a sentence, else of a word. */
export function suggestSplitPoint(text: string, places: readonly number[]): number {
  const middle = text.length / 2;
  for (const end of [/\n\s*\n\s*$/, /[.!?…]["'”’)\]]*\s+$/]) {
    let best = -1;
    for (const [index, place] of places.entries()) {
      if (!end.test(text.slice(Math.max(0, place - 12), place))) continue;
      if (best < 0 || Math.abs(place - middle) < Math.abs((places[best] ?? 0) - middle)) best = index;
    }
    if (best >= 0) return best;
  }
  return findNearestSplitPoint(places, middle);
}

function isPlainText({ message, kind, role, status }: Node): boolean {
  if (kind !== 'message' || message === null || (role !== 'user' && role !== 'assistant')) return false;
  return status !== 'pending' && message.content.every((block) => isText(block));
}

/** Whether a message can be joined with its only child: both only text, of one role. */
export function canJoinMessages(node: Node, child: Node | undefined): boolean {
  return child !== undefined && child.role === node.role && isPlainText(node) && isPlainText(child);
}

/** Whether a message can be split: only text, and at least two words. */
export function canSplitMessage(node: Node): boolean {
  return isPlainText(node) && node.message !== null && /\S\s+\S/.test(textOf(node.message));
}
