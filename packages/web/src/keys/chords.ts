/** Key chords as written in the list of actions, and as shown on the user's keyboard. */

const mac = /Mac|iPhone|iPad/.test(globalThis.navigator?.userAgent ?? '');

/** The fields of a keyboard event that are used here. */
export interface KeyboardEventFields
  extends Pick<KeyboardEvent, 'key' | 'code' | 'metaKey' | 'ctrlKey' | 'altKey' | 'shiftKey'> {
  /** Whether a modifier such as AltGr is held. */
  getModifierState?(name: string): boolean;
}

/** Whether a key gives a punctuation character; which modifiers it needs depends on the keyboard layout. */
function isPunctuation(key: string): boolean {
  return key.length === 1 && key !== ' ' && key.toLowerCase() === key.toUpperCase();
}

/**
 * The chord of a key press as written in the list, for example `shift+mod+z`. A punctuation character counts as
 * itself: on a German keyboard `/` needs Shift and `[` needs AltGr, which Windows reports as Ctrl and Alt, or Option
 * on a Mac.
 */
export function chordOf(event: KeyboardEventFields, onMac = mac): string {
  const { key, altKey, ctrlKey, metaKey, shiftKey, code } = event;
  const letter = altKey && /^Key[A-Z]$/.test(code) && !ctrlKey && event.getModifierState?.('AltGraph') !== true;
  if (isPunctuation(key) && !letter) {
    const third = event.getModifierState?.('AltGraph') === true || (altKey && ctrlKey) || (onMac && altKey);
    const held = onMac ? metaKey : ctrlKey && !third;
    return [held ? 'mod' : '', altKey && !third ? 'alt' : '', key].filter(Boolean).join('+');
  }
  // With Option a Mac gives another character; the code still identifies the key.
  const name = letter ? code.slice(3).toLowerCase() : key.toLowerCase();
  const mod = onMac ? metaKey : ctrlKey;
  return [shiftKey ? 'shift' : '', mod ? 'mod' : '', altKey ? 'alt' : '', name].filter(Boolean).join('+');
}

const drawn: Readonly<Record<string, string>> = {
  arrowup: '↑',
  arrowdown: '↓',
  arrowleft: '←',
  arrowright: '→',
  backspace: '⌫',
  delete: 'Del',
  enter: '⏎',
  escape: 'Esc',
};
const onApple: Readonly<Record<string, string>> = { shift: '⇧', mod: '⌘', alt: '⌥' };
const elsewhere: Readonly<Record<string, string>> = { shift: 'Shift+', mod: 'Ctrl+', alt: 'Alt+' };

/** A chord for display: `⇧⌘Z` on a Mac, `Ctrl+Shift+Z` elsewhere. */
export function formatChord(chord: string, onMac = mac): string {
  const shown = (part: string) => {
    const names = part.split('+').filter(Boolean);
    const last = names.at(-1) ?? part;
    const held = names.slice(0, -1);
    const order = onMac ? held : held.toSorted((a, b) => Number(b === 'mod') - Number(a === 'mod'));
    const marks = order.map((name) => (onMac ? onApple : elsewhere)[name] ?? name);
    return marks.join('') + (drawn[last] ?? last.toUpperCase());
  };
  return chord.split(' ').map(shown).join(' ');
}
