import { type Key, useStdin } from 'ink';
import { useEffect, useRef, useState } from 'react';
import { PasteBuffer } from './keys.ts';
import { type KeyPress, parseKeyPresses } from './parse-key-presses.ts';

/** Called for each key press, with the text of the key if it has one. */
export type KeyHandler = (input: string, key: Key) => void;

/** A key press or pasted text. */
type KeySequence = KeyPress | { readonly pasted: string };

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
  const { internal_eventEmitter: emitter, setRawMode } = useStdin();
  useEffect(() => {
    const take = (sequence: unknown) => {
      for (const each of readKeyEvents(paste.current, String(sequence))) waiting.current.push(each);
      if (!isHandling.current) handleWaiting.current();
    };
    setRawMode(true);
    emitter.on('input', take);
    return () => {
      emitter.removeListener('input', take);
      setRawMode(false);
    };
  }, [emitter, setRawMode]);
}

/** Returns the events of a piece of input: none during a paste, the whole text at its end, else its keys. */
export function readKeyEvents(paste: PasteBuffer, sequence: string): readonly KeySequence[] {
  // Lets Ctrl-C leave a paste whose end marker was lost.
  if (sequence === '\u0003') paste.forget();
  const pasted = paste.take(sequence);
  if (pasted === 'holding') return [];
  return pasted === null ? parseKeyPresses(sequence) : [{ pasted: pasted.text }];
}
