/**
 * Reads the input of a terminal as keys. Ink's own hook throws an error for a key with Ctrl that it does not know, such
 * as Ctrl-F1, and inserts other unknown sequences as text.
 */
import type { Key } from 'ink';

/** A key press: the key, and its text if it has one. */
export interface KeyPress {
  readonly input: string;
  readonly key: Key;
}

/** A key without a name and without modifier keys. */
export const unnamedKey: Key = {
  upArrow: false,
  downArrow: false,
  leftArrow: false,
  rightArrow: false,
  pageDown: false,
  pageUp: false,
  home: false,
  end: false,
  return: false,
  escape: false,
  ctrl: false,
  shift: false,
  tab: false,
  backspace: false,
  delete: false,
  meta: false,
  super: false,
  hyper: false,
  capsLock: false,
  numLock: false,
};

const press = (over: Partial<Key>, input = ''): KeyPress => ({ input, key: { ...unnamedKey, ...over } });

/** The keys of sequences by their last letter, and by their number if they end with `~`. */
const letters: ReadonlyMap<string, Partial<Key>> = new Map([
  ['A', { upArrow: true }],
  ['B', { downArrow: true }],
  ['C', { rightArrow: true }],
  ['D', { leftArrow: true }],
  ['F', { end: true }],
  ['H', { home: true }],
  ['M', { return: true }],
  ['Z', { tab: true, shift: true }],
]);
const numbers: ReadonlyMap<string, Partial<Key>> = new Map([
  ['1', { home: true }],
  ['3', { delete: true }],
  ['4', { end: true }],
  ['5', { pageUp: true }],
  ['6', { pageDown: true }],
  ['7', { home: true }],
  ['8', { end: true }],
]);

/** Returns the modifier keys that the number in a key's sequence encodes. */
function modifiersOf(number: string | undefined): Partial<Key> {
  const bits = Math.max(0, Number(number ?? 1) - 1);
  return { shift: (bits & 1) !== 0, meta: (bits & 10) !== 0, ctrl: (bits & 4) !== 0 };
}

/** Returns the key of a character that a terminal reports by its code. */
function keyOfCode(code: string | undefined, held: Partial<Key>): KeyPress | null {
  const number = Number(code);
  const named: Partial<Key> | undefined = { 9: { tab: true }, 13: { return: true }, 27: { escape: true } }[number];
  if (named !== undefined) return press({ ...held, ...named });
  if (number === 8 || number === 127) return press({ ...held, backspace: true });
  // Codes from 57344 on are keys without a character, such as those of a number pad.
  if (!(number >= 32 && number <= 0x10ffff) || (number >= 0xd800 && number <= 0xf8ff)) return null;
  const text = String.fromCodePoint(number);
  return press(held, held.shift === true && held.ctrl !== true ? text.toUpperCase() : text);
}

// The three forms of sequences after Esc, each with an optional number for the held modifier keys: a key as a letter, a
// key as a number, and a character as its code. For Shift and Ctrl some terminals send other letters or `$` or `^`.
const byLetter = /^(O|\[)(?:1;)?(\d+)?(?::1)?([A-Za-d])$/;
const byNumber = /^\[{1,2}(\d+)(?:;(\d+)(?::1)?)?([~^$])$/;
const byCode = /^\[(?:(\d+)(?::\d+)*(?:;(\d+)(?::1)?(?:;[\d:]*)?)?u|27;(\d+);(\d+)~)$/;

function keyOfSequence(sequence: string): KeyPress | null {
  const [coded, code, held, otherHeld, otherCode] = byCode.exec(sequence) ?? [];
  if (coded !== undefined) return keyOfCode(code ?? otherCode, modifiersOf(held ?? otherHeld));
  const [lettered, prefix, heldWithLetter, letter = ''] = byLetter.exec(sequence) ?? [];
  if (lettered !== undefined) {
    const found = letters.get(letter.toUpperCase());
    const other = letter >= 'a' ? { ctrl: prefix === 'O', shift: prefix !== 'O' } : {};
    return found === undefined ? null : press({ ...modifiersOf(heldWithLetter), ...other, ...found });
  }
  const [, number = '', heldWithNumber, end] = byNumber.exec(sequence) ?? [];
  const found = numbers.get(number);
  const other = end === '~' ? {} : { ctrl: end === '^', shift: end === '$' };
  return found === undefined ? null : press({ ...modifiersOf(heldWithNumber), ...other, ...found });
}

function keyOfControl(character: string): KeyPress {
  if (character === '\r') return press({ return: true });
  if (character === '\t') return press({ tab: true });
  if (character === '\u007f' || character === '\b') return press({ backspace: true });
  // Before raw mode is on, a typed Enter arrives as a line feed.
  if (character === '\n') return press({}, '\n');
  return press({ ctrl: true }, String.fromCharCode(character.charCodeAt(0) + 96));
}

const controls = /(?<=\p{Cc})|(?=\p{Cc})/u;

/** Returns the keys of a text. After fast typing it may contain control keys, and a line feed stands for Enter. */
function keysOfText(text: string): readonly KeyPress[] {
  if (text === '\n') return [keyOfControl(text)];
  return text.split(controls).map((piece) => {
    if (!/^\p{Cc}$/u.test(piece)) return press({ shift: /^[A-Z]$/.test(piece) }, piece);
    return piece === '\n' ? press({ return: true }) : keyOfControl(piece);
  });
}

/**
 * Returns the keys of a piece of input, as Ink separates it: a text, or an escape sequence. An unknown sequence gives
 * no keys. Esc and a control key are two keys, which a terminal delivers in one read if they are typed quickly; with
 * Enter or Backspace they are one, because terminals send Alt with them in this way.
 */
export function parseKeyPresses(sequence: string): readonly KeyPress[] {
  if (!sequence.startsWith('\u001b')) return keysOfText(sequence);
  const next = sequence.slice(1);
  if (next === '') return [press({ escape: true })];
  if (next === '\u001b') return [press({ escape: true }), press({ escape: true })];
  if (/^\p{Cc}$/u.test(next)) {
    const { input, key } = keyOfControl(next === '\n' ? '\r' : next);
    return key.ctrl || key.tab ? [press({ escape: true }), { input, key }] : [{ input, key: { ...key, meta: true } }];
  }
  // Two Esc before the sequence of an arrow are Alt with the arrow.
  const isDouble = next.startsWith('\u001b');
  if (isDouble || (/^[[O]/.test(next) && next.length > 1)) {
    const found = keyOfSequence(isDouble ? next.slice(1) : next);
    return found === null ? [] : [isDouble ? { ...found, key: { ...found.key, meta: true } } : found];
  }
  // Alt counts only for letters, digits and `[`. Other characters are text.
  return [press({ meta: /^[A-Za-z0-9[]$/.test(next), shift: /^[A-Z]$/.test(next) }, next)];
}
