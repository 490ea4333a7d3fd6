/** The key bindings as data. The interface handles keys with them, and the help lists them. */
import type { Key } from 'ink';

/** What a key does while a message is being written. */
export type KeyAction =
  | 'send'
  | 'newline'
  | 'stop'
  | 'escape'
  | 'leave'
  | 'tree'
  | 'models'
  | 'editor'
  | 'again'
  | 'thinking'
  | 'paste-image'
  | 'suspend'
  | 'redraw'
  | 'previous-variant'
  | 'next-variant'
  | 'focus-up'
  | 'focus-down'
  | 'page-up'
  | 'page-down'
  | 'complete'
  | 'keys'
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'home'
  | 'end'
  | 'wordLeft'
  | 'wordRight'
  | 'backspace'
  | 'delete'
  | 'cutWord'
  | 'cutNextWord'
  | 'cutToStart'
  | 'cutToEnd';

interface Binding {
  readonly action: KeyAction;
  readonly shown: string;
  /** The help text. Missing for common editing keys, which need no help. */
  readonly about?: string;
  matches(input: string, key: Key): boolean;
}

const control =
  (letter: string) =>
  (input: string, key: Key): boolean =>
    key.ctrl && input === letter;

/** All bindings, the more specific ones first. */
const bindings: readonly Binding[] = [
  {
    action: 'newline',
    shown: 'Alt-Enter',
    about: 'start a new line',
    matches: (_input, key) => key.return && (key.meta || key.shift),
  },
  { action: 'newline', shown: 'Ctrl-J', matches: (input, key) => input === '\n' || (key.ctrl && input === 'j') },
  {
    action: 'send',
    shown: 'Enter',
    about: 'send, or run a line that begins with /',
    matches: (_input, key) => key.return,
  },
  {
    action: 'previous-variant',
    shown: 'Alt-←',
    about: 'previous version',
    matches: (_input, key) => key.leftArrow && key.meta,
  },
  {
    action: 'next-variant',
    shown: 'Alt-→',
    about: 'next version',
    matches: (_input, key) => key.rightArrow && key.meta,
  },
  {
    action: 'focus-up',
    shown: 'Alt-↑',
    about: 'select the message above',
    matches: (_input, key) => key.upArrow && (key.meta || key.ctrl),
  },
  {
    action: 'focus-down',
    shown: 'Alt-↓',
    about: 'select the message below',
    matches: (_input, key) => key.downArrow && (key.meta || key.ctrl),
  },
  { action: 'page-up', shown: 'Page up', about: 'scroll up', matches: (_input, key) => key.pageUp },
  { action: 'page-down', shown: 'Page down', about: 'scroll down', matches: (_input, key) => key.pageDown },
  { action: 'complete', shown: 'Tab', about: 'complete a command', matches: (_input, key) => key.tab && !key.shift },
  { action: 'stop', shown: 'Ctrl-C', about: 'stop the reply, clear the line, leave', matches: control('c') },
  {
    action: 'escape',
    shown: 'Esc',
    about: 'stop the reply; twice: edit your last message',
    matches: (_input, key) => key.escape,
  },
  { action: 'leave', shown: 'Ctrl-D', about: 'leave, if the line is empty', matches: control('d') },
  { action: 'suspend', shown: 'Ctrl-Z', about: 'suspend; fg in the shell continues', matches: control('z') },
  { action: 'redraw', shown: 'Ctrl-L', about: 'clear the screen', matches: control('l') },
  { action: 'tree', shown: 'Ctrl-T', about: 'show the tree', matches: control('t') },
  { action: 'models', shown: 'Ctrl-O', about: 'choose a model', matches: control('o') },
  { action: 'editor', shown: 'Ctrl-G', about: 'write in your editor', matches: control('g') },
  { action: 'again', shown: 'Ctrl-R', about: 'generate another reply', matches: control('r') },
  {
    action: 'thinking',
    shown: 'Shift-Tab',
    about: 'change how much the model thinks',
    matches: (_input, key) => key.tab && key.shift,
  },
  { action: 'paste-image', shown: 'Ctrl-V', about: 'attach the image of the clipboard', matches: control('v') },
  { action: 'keys', shown: 'Ctrl-X', about: 'show these keys', matches: control('x') },
  { action: 'home', shown: 'Ctrl-A', matches: (input, key) => key.home || control('a')(input, key) },
  { action: 'end', shown: 'Ctrl-E', matches: (input, key) => key.end || control('e')(input, key) },
  {
    action: 'cutWord',
    shown: 'Ctrl-W',
    matches: (input, key) => (key.backspace && key.meta) || control('w')(input, key),
  },
  { action: 'cutNextWord', shown: 'Alt-D', matches: (input, key) => key.meta && input === 'd' },
  { action: 'cutToStart', shown: 'Ctrl-U', matches: control('u') },
  { action: 'cutToEnd', shown: 'Ctrl-K', matches: control('k') },
  {
    action: 'wordLeft',
    shown: 'Ctrl-←',
    matches: (input, key) => (key.leftArrow && key.ctrl) || (key.meta && input === 'b'),
  },
  {
    action: 'wordRight',
    shown: 'Ctrl-→',
    matches: (input, key) => (key.rightArrow && key.ctrl) || (key.meta && input === 'f'),
  },
  { action: 'up', shown: '↑', matches: (input, key) => key.upArrow || control('p')(input, key) },
  { action: 'down', shown: '↓', matches: (input, key) => key.downArrow || control('n')(input, key) },
  { action: 'left', shown: '←', matches: (input, key) => key.leftArrow || control('b')(input, key) },
  { action: 'right', shown: '→', matches: (input, key) => key.rightArrow || control('f')(input, key) },
  { action: 'backspace', shown: 'Backspace', matches: (_input, key) => key.backspace },
  { action: 'delete', shown: 'Delete', matches: (_input, key) => key.delete },
];

/** Returns the action of a key press; null for text and for unbound keys. */
export function findKeyAction(input: string, key: Key): KeyAction | null {
  return bindings.find((binding) => binding.matches(input, key))?.action ?? null;
}

/** Returns the help for keys, one per line. */
export function formatKeyHelp(): string {
  return bindings
    .flatMap(({ shown, about }) => (about === undefined ? [] : [`${shown.padEnd(10)} ${about}`]))
    .join('\n');
}

const [pasteBegins, pasteEnds] = ['\u001b[200~', '\u001b[201~'];

// Escape sequences in pasted text, such as the colours of text that was copied from a terminal. A sequence without an
// end does not match, because the match would remove the rest of the text.
const escapeSequences = new RegExp(
  ['\\u001b\\[[0-?]*[ -/]*[@-~]', '\\u001b\\][^\\u0007\\u001b\\n]*(?:\\u0007|\\u001b\\\\)'].join('|'),
  'g',
);
const controlCharacters = /(?![\n\t])\p{Cc}/gu;

/** Joins pasted text: the terminal puts markers around it, and it may arrive in several chunks. */
export class PasteBuffer {
  #held: string[] | null = null;

  /** Drops the collected text. */
  forget(): void {
    this.#held = null;
  }

  /**
   * Returns the pasted text when it is complete, `holding` while more text is expected, and null outside of a paste.
   */
  take(input: string): { readonly text: string } | 'holding' | null {
    const begins = input.indexOf(pasteBegins);
    if (this.#held === null && begins === -1) return null;
    this.#held ??= [];
    // The end marker may be split over two chunks but not more, so it is searched in the last two.
    this.#held.push(begins === -1 ? input : input.slice(begins + pasteBegins.length));
    if (!this.#held.slice(-2).join('').includes(pasteEnds)) return 'holding';
    const held = this.#held.join('');
    this.#held = null;
    const text = held.slice(0, held.lastIndexOf(pasteEnds)).replace(escapeSequences, '').replace(/\r\n?/g, '\n');
    return { text: text.replace(controlCharacters, '') };
  }
}
