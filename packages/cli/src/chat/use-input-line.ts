/** The input line: the draft, the earlier inputs, and the menu over it. */
import { useMemo, useState } from 'react';
import { type EditorDraft, editsByKey, emptyDraft, insertText, toEditorDraft } from './editor.ts';
import { completeFilePath } from './file-attachments.ts';
import type { InputHistory } from './input-history.ts';
import type { KeyAction } from './keys.ts';
import { acceptCompletion, buildInputMenu, type InputMenu } from './menu.ts';
import { type MenuCommand, terminalSlashCommands } from './terminal-slash-commands.ts';

/** Actions that change only the draft. */
type EditAction = Extract<KeyAction, keyof typeof editsByKey>;

export interface InputLineState {
  readonly draft: EditorDraft;
  readonly menu: InputMenu;
  /** The selected line of the menu. */
  readonly selected: number;
  /** Replaces the text, with the cursor at its end. */
  write(text: string): void;
  /** Like `write`, but keeps a text that the user has typed meanwhile. */
  giveBack(text: string): void;
  /** Puts texts before the typed one. */
  prepend(texts: readonly string[]): void;
  insert(text: string): void;
  edit(action: EditAction): void;
  /** Empties the line and adds the text to the history of the arrow keys. */
  sent(text: string): void;
  /** Handles a key in the menu. Returns false if the menu does not use the key. */
  menuKey(action: KeyAction | null): boolean;
}

export function useInputLine(options: {
  readonly inputHistory: InputHistory;
  readonly commands: readonly MenuCommand[];
  readonly folder: string;
  /** Whether a panel or question receives the keys. */
  readonly isCovered: boolean;
}): InputLineState {
  const { inputHistory, commands, folder, isCovered } = options;
  const [draft, setDraft] = useState<EditorDraft>(emptyDraft);
  // The current draft is kept while the user looks through earlier messages.
  const [history, setHistory] = useState<{
    readonly sent: readonly string[];
    readonly at: number;
    readonly kept: string;
  }>({ sent: inputHistory.texts, at: inputHistory.texts.length, kept: '' });
  const [menuAt, setMenuAt] = useState(0);
  /** The draft for which Esc closed the menu. */
  const [menuClosedFor, setMenuClosedFor] = useState<string | null>(null);
  const menu = useMemo(
    () =>
      isCovered || draft.text === menuClosedFor
        ? { from: 0, items: [] }
        : buildInputMenu(draft, menuOf(commands), (typed) => completeFilePath(typed, folder)),
    [isCovered, draft, menuClosedFor, commands, folder],
  );
  const selected = Math.min(menuAt, Math.max(0, menu.items.length - 1));

  const browse = (step: number) => {
    const at = Math.min(Math.max(0, history.at + step), history.sent.length);
    if (at === history.at) return;
    const kept = history.at === history.sent.length ? draft.text : history.kept;
    setHistory({ ...history, at, kept });
    const text = history.sent[at] ?? kept;
    setDraft(toEditorDraft(text));
    // The menu of a command would take the next arrow key.
    setMenuClosedFor(text);
  };

  return {
    draft,
    menu,
    selected,
    write: (text) => setDraft(toEditorDraft(text)),
    giveBack: (text) => setDraft((now) => (now.text === '' ? toEditorDraft(text) : now)),
    prepend: (texts) =>
      setDraft((now) => toEditorDraft([...texts, now.text].filter((text) => text !== '').join('\n\n'))),
    insert: (text) => setDraft((now) => insertText(now, text)),
    edit(action) {
      if (action !== 'up' && action !== 'down') return setDraft((now) => editsByKey[action](now));
      const moved = editsByKey[action](draft);
      if (moved === null) browse(action === 'up' ? -1 : 1);
      else setDraft(moved);
    },
    sent(text) {
      setDraft(emptyDraft);
      setHistory(({ sent }) => ({ sent: [...sent, text], at: sent.length + 1, kept: '' }));
      inputHistory.add(text);
    },
    menuKey(action) {
      if (menu.items.length === 0) return false;
      const item = menu.items[selected];
      switch (action) {
        case 'up':
        case 'down': {
          const count = menu.items.length;
          setMenuAt((now) => (Math.min(now, count - 1) + (action === 'up' ? count - 1 : 1)) % count);
          return true;
        }
        case 'escape':
          setMenuClosedFor(draft.text);
          return true;
        case 'send':
        case 'complete':
          // A command that is already typed in full is sent, not completed.
          if (item === undefined || (action === 'send' && draft.text.slice(menu.from, draft.cursor) === item.value))
            return false;
          setMenuAt(0);
          setDraft(acceptCompletion(draft, menu, item));
          return true;
        default:
          setMenuAt(0);
          return false;
      }
    },
  };
}

/** Returns the commands of every interface and those of the terminal, by name. */
function menuOf(commands: readonly MenuCommand[]): readonly MenuCommand[] {
  return [...commands, ...terminalSlashCommands].sort((a, b) => (a.name < b.name ? -1 : 1));
}
