import { type Key, useInput } from 'ink';
import { useEffect, useRef } from 'react';

/** What a key press is told to: its text, if it has any, and which key it was. */
export type OnKey = (input: string, key: Key) => void;

// Enough for a frame: what a key changed is drawn, and known to the next one.
const frameMs = 16;

/**
 * Keys one by one. A terminal hands on everything that came since it was last asked, so that fast typing arrives as one
 * text with an Enter at its end; here the text comes first and the Enter after what it changed is there.
 */
export function useKeys(onKey: OnKey): void {
  const latest = useRef(onKey);
  latest.current = onKey;
  const waiting = useRef<{ readonly input: string; readonly key: Key }[]>([]);
  const timer = useRef<NodeJS.Timeout | null>(null);
  const next = () => {
    const first = waiting.current.shift();
    timer.current = waiting.current.length > 0 ? setTimeout(next, frameMs) : null;
    if (first !== undefined) latest.current(first.input, first.key);
  };
  useEffect(
    () => () => {
      if (timer.current !== null) clearTimeout(timer.current);
    },
    [],
  );
  useInput((input, key) => {
    for (const piece of piecesOf(input, key)) waiting.current.push(piece);
    if (timer.current === null) next();
  });
}

/**
 * Text and the control keys within it, apart. Pasted text is left whole: it has line ends of its own, and brackets that
 * tell it apart. Typed ahead, before the terminal hands keys on one by one, an Enter is a line feed.
 */
export function piecesOf(input: string, key: Key): { readonly input: string; readonly key: Key }[] {
  const whole = input.length < 2 || key.ctrl || key.meta || /\[20[01]~/.test(input);
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
