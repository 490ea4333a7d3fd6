import { type Key, useInput, useStdin } from 'ink';
import { useEffect, useRef, useState } from 'react';
import { PasteBuffer } from './keys.ts';

/** Called for each key press, with the text of the key if it has one. */
export type KeyHandler = (input: string, key: Key) => void;

/** A key press or pasted text. */
type KeySequence = { readonly input: string; readonly key: Key } | { readonly pasted: string };

/**
 * Handles keys one by one. A terminal delivers everything since the last read, so that fast typing arrives as one
 * text with an Enter at its end. Each key waits until React has rendered the effect of the key before it: otherwise
 * Enter would choose from the list as it was before the search was typed. A paste is one text, however long.
 */
export function useTerminalKeys(onKey: KeyHandler, onPaste: (text: string) => void): void {
  const latest = useRef({ onKey, onPaste });
  latest.current = { onKey, onPaste };
  const waiting = useRef<KeySequence[]>([]);
  const isHandling = useRef(false);
  const [handled, setHandled] = useState(0);
  const paste = useRef(new PasteBuffer());
  const handleNext = () => {
    const first = waiting.current.shift();
    isHandling.current = first !== undefined;
    if (first === undefined) return;
    // Set in the same update as the effects of the key, so that the next key is handled after they are rendered.
    setHandled((count) => count + 1);
    if ('pasted' in first) latest.current.onPaste(first.pasted);
    else latest.current.onKey(first.input, first.key);
  };
  const handleWaiting = useRef(handleNext);
  useEffect(() => {
    if (handled === 0) return;
    // Runs after this effect: a key that leaves the chat draws once more, which React does not do within an effect.
    const next = setImmediate(() => handleWaiting.current());
    return () => clearImmediate(next);
  }, [handled]);
  const sequence = useSequence();
  useInput((input, key) => {
    for (const piece of readKeyEvents(paste.current, input, readKeys(key, sequence.current)))
      waiting.current.push(piece);
    if (!isHandling.current) handleNext();
  });
}

/**
 * Returns the raw input of the next key. This effect is registered first, so it receives the input before the key is
 * handled.
 */
function useSequence(): { readonly current: string } {
  const { internal_eventEmitter: emitter } = useStdin();
  const sequence = useRef('');
  useEffect(() => {
    const hear = (data: unknown) => {
      sequence.current = String(data);
    };
    emitter.prependListener('input', hear);
    return () => void emitter.removeListener('input', hear);
  }, [emitter]);
  return sequence;
}

/** Distinguishes keys: Ink reports both Delete and DEL, which the Backspace of most terminals sends, as delete. */
function readKeys(key: Key, sequence: string): Key {
  return key.delete && sequence.endsWith('\u007f') ? { ...key, delete: false, backspace: true } : key;
}

/** Returns the events of an input chunk: none during a paste, the whole text at its end, else its keys. */
export function readKeyEvents(paste: PasteBuffer, input: string, key: Key): KeySequence[] {
  // Lets Ctrl-C leave a paste whose end marker was lost.
  if (key.ctrl && input === 'c') paste.forget();
  const pasted = paste.take(paste.holding ? textOfKey(input, key) : input);
  if (pasted === 'holding') return [];
  return pasted === null ? splitInput(input, key) : [{ pasted: pasted.text }];
}

/** Returns the text of a key within a paste: a chunk that is only a line end arrives as a key. */
function textOfKey(input: string, key: Key): string {
  if (key.return) return '\n';
  if (key.tab) return '\t';
  return key.ctrl ? '' : input;
}

/** Separates text and control keys. Before raw mode is on, a typed Enter arrives as a line feed. */
function splitInput(input: string, key: Key): { readonly input: string; readonly key: Key }[] {
  const whole = input.length < 2 || key.ctrl || key.meta;
  if (whole) return [{ input, key }];
  return input.split(/(?<=\p{Cc})|(?=\p{Cc})/u).map((piece) => {
    if (piece === '\r' || piece === '\n') return { input: '', key: { ...key, return: true } };
    if (piece === '\t') return { input: '', key: { ...key, tab: true } };
    if (piece === '\u007f' || piece === '\b') return { input: '', key: { ...key, backspace: true } };
    const code = piece.charCodeAt(0);
    if (piece.length > 1 || code >= 27) return { input: piece, key };
    return { input: String.fromCharCode(code + 96), key: { ...key, ctrl: true } };
  });
}
