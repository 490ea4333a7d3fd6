import { type Key, useInput, useStdin } from 'ink';
import { useEffect, useRef } from 'react';
import { Paste } from './keys.ts';

/** What a key press is told to: its text, if it has any, and which key it was. */
export type OnKey = (input: string, key: Key) => void;

// Enough for a frame: what a key changed is drawn, and known to the next one.
const frameMs = 16;

/** A key press, or a text that was pasted. */
type KeySequence = { readonly input: string; readonly key: Key } | { readonly pasted: string };

/**
 * Keys one by one. A terminal hands on everything that came since it was last asked, so that fast typing arrives as one
 * text with an Enter at its end; here the text comes first and the Enter after what it changed is there. A paste is one
 * text, however long it is and however many lines it has.
 */
export function useTerminalKeys(onKey: OnKey, onPaste: (text: string) => void): void {
  const latest = useRef({ onKey, onPaste });
  latest.current = { onKey, onPaste };
  const waiting = useRef<KeySequence[]>([]);
  const timer = useRef<NodeJS.Timeout | null>(null);
  const paste = useRef(new Paste());
  const next = () => {
    const first = waiting.current.shift();
    timer.current = waiting.current.length > 0 ? setTimeout(next, frameMs) : null;
    if (first === undefined) return;
    if ('pasted' in first) latest.current.onPaste(first.pasted);
    else latest.current.onKey(first.input, first.key);
  };
  useEffect(
    () => () => {
      if (timer.current !== null) clearTimeout(timer.current);
    },
    [],
  );
  const sequence = useSequence();
  useInput((input, key) => {
    for (const piece of keyEvents(paste.current, input, readKeys(key, sequence.current))) waiting.current.push(piece);
    if (timer.current === null) next();
  });
}

/** What the terminal sent for the key that is told next. Effects run in order: this one hears it before the key is told. */
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

/** A key by its name: Ink calls both Delete and what the Backspace of today's terminals sends, DEL, delete. */
export function readKeys(key: Key, sequence: string): Key {
  return key.delete && sequence.endsWith('\u007f') ? { ...key, delete: false, backspace: true } : key;
}

/** What a piece of input comes to: nothing while a paste is under way, the whole of it at its end, else its keys. */
export function keyEvents(paste: Paste, input: string, key: Key): KeySequence[] {
  // The way out of a paste whose end got lost.
  if (key.ctrl && input === 'c') paste.forget();
  const pasted = paste.take(paste.holding ? textOfKey(input, key) : input);
  if (pasted === 'holding') return [];
  return pasted === null ? splitInput(input, key) : [{ pasted: pasted.text }];
}

/** What a key stands for inside a paste: a piece of it that is a line end alone is handed on as the key of that. */
function textOfKey(input: string, key: Key): string {
  if (key.return) return '\n';
  if (key.tab) return '\t';
  return key.ctrl ? '' : input;
}

/**
 * Text and the control keys within it, apart. Typed ahead, before the terminal hands keys on one by one, an Enter is a line feed.
 */
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
