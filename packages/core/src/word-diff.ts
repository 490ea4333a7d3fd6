import { diffSequences } from './sequence-diff.ts';

/** A piece of text that is in both texts or only in one of them. */
export interface TextDiffPart {
  readonly type: 'equal' | 'removed' | 'added';
  readonly text: string;
}

// Scripts without spaces between words. Each of their characters counts as a word; otherwise a paragraph would be one
// word.
const unspaced =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
// Joiners and marks belong to the letter before them. Every repetition is limited, because a match of ten megabytes
// overflows the stack; longer matches are split.
const word = `(?:(?![${unspaced}])[\\p{L}\\p{N}_][\\p{M}\\u200c\\u200d]{0,16}){1,1000}`;
const picture = '\\p{Emoji}[\\p{EMod}\\ufe0f\\u20e3\\u{e0020}-\\u{e007f}]{0,16}';
// A word (with an inner apostrophe), a line end, other white space, a flag, an emoji with all its parts, or one
// character with its marks. Every code unit belongs to exactly one piece.
const pieces = new RegExp(
  `${word}(?:['’]${word}){0,4}|\\r?\\n|[^\\S\\r\\n]{1,1000}|\\p{RI}\\p{RI}|${picture}(?:\\u200d${picture}){0,16}|[\\s\\S]\\p{M}{0,16}`,
  'gu',
);
const space = /^\s*$/;

/** Splits a text into words, white space and punctuation. Joined, the pieces are the same text. */
export function splitWords(text: string): string[] {
  return text.match(pieces) ?? [];
}

/**
 * Compares two texts word by word. The equal and removed parts together are the first text, the equal and added parts
 * the second. In a replacement the removed part comes first.
 */
export function diffText(a: string, b: string): readonly TextDiffPart[] {
  if (a === b) return a === '' ? [] : [{ type: 'equal', text: a }];
  const left = splitWords(a);
  const right = splitWords(b);
  const numbers = new Map<string, number>();
  const { removed, added } = diffSequences(numberWords(left, numbers), numberWords(right, numbers));
  return joinParts(changedSpans(left, right, removed, added));
}

function numberWords(words: readonly string[], numbers: Map<string, number>): Int32Array {
  const found = new Int32Array(words.length);
  for (const [index, text] of words.entries()) {
    const number = numbers.get(text) ?? numbers.size;
    if (number === numbers.size) numbers.set(text, number);
    found[index] = number;
  }
  return found;
}

/** A piece that both sides contain, or a replacement; the fields that do not apply are empty. */
interface TextChange {
  readonly equal: string;
  readonly removed: string;
  readonly added: string;
}

function changedSpans(
  left: readonly string[],
  right: readonly string[],
  removed: Uint8Array,
  added: Uint8Array,
): TextChange[] {
  const found: TextChange[] = [];
  let x = 0;
  let y = 0;
  while (x < left.length || y < right.length) {
    const startX = x;
    const startY = y;
    while (removed[x] === 1) x++;
    while (added[y] === 1) y++;
    if (x > startX || y > startY)
      found.push({ equal: '', removed: left.slice(startX, x).join(''), added: right.slice(startY, y).join('') });
    const same = x;
    while (x < left.length && removed[x] === 0 && added[y] === 0) {
      x++;
      y++;
    }
    if (x > same) found.push({ equal: left.slice(same, x).join(''), removed: '', added: '' });
  }
  return found;
}

function isReplacement(change: TextChange | undefined): boolean {
  return change !== undefined && change.removed !== '' && change.added !== '';
}

// White space between two replaced words counts as replaced: "the old way" → "a new path" is one replacement.
function joinParts(found: readonly TextChange[]): TextDiffPart[] {
  const parts: TextDiffPart[] = [];
  for (let at = 0; at < found.length; at++) {
    const change = found[at];
    if (change === undefined) continue;
    if (change.equal !== '') {
      parts.push({ type: 'equal', text: change.equal });
      continue;
    }
    const removed = [change.removed];
    const added = [change.added];
    while (isReplacement(found[at]) && isReplacement(found[at + 2]) && space.test(found[at + 1]?.equal ?? '')) {
      for (const each of [found[at + 1], found[at + 2]]) {
        removed.push(each?.equal ?? '', each?.removed ?? '');
        added.push(each?.equal ?? '', each?.added ?? '');
      }
      at += 2;
    }
    const before = removed.join('');
    const after = added.join('');
    if (before !== '') parts.push({ type: 'removed', text: before });
    if (after !== '') parts.push({ type: 'added', text: after });
  }
  return parts;
}
