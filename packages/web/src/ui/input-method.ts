import type { KeyboardEvent } from 'react';

// Safari ends the composition before the key that accepts it, which then has only this code.
const inputMethodKey = 229;

/** Whether a key is for an input method, for example Enter that accepts a Japanese word. */
export function isForInputMethod({ nativeEvent }: KeyboardEvent): boolean {
  return nativeEvent.isComposing || nativeEvent.keyCode === inputMethodKey;
}
