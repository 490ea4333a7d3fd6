import type { KeyboardEvent } from 'react';

// At the key press that accepts a composition, Safari no longer reports `isComposing`, but this key code.
const inputMethodKey = 229;

/** Whether a key is for an input method, for example Enter that accepts a Japanese word. */
export function isInputMethodKey({ nativeEvent }: KeyboardEvent): boolean {
  return nativeEvent.isComposing || nativeEvent.keyCode === inputMethodKey;
}
