import {
  type ClipboardEvent,
  type Dispatch,
  type DragEvent,
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  type RefObject,
  type SetStateAction,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { t } from '../i18n/index.ts';
import { showToast } from '../state/toasts.ts';
import { registerFileReceiver } from '../ui/file-drops.ts';
import { isInputMethodKey } from '../ui/input-method.ts';
import { ComposerTray, MissingModelNote } from './composer-tray.tsx';
import { FileChips } from './file-chips.tsx';
import { fitTextAreaHeight } from './fit-text-area-height.ts';
import { SlashMenu, type SlashMenuState, slashMenuOptionId } from './slash-menu.tsx';
import type { DraftFiles } from './use-files.ts';

// A longer paste is attached as a file: it would make the text box slow.
const longestPaste = 40_000;

// The largest height in pixels; then the box scrolls.
const mostHeight = 320;

interface ComposerBoxProps {
  readonly text: string;
  readonly setText: Dispatch<SetStateAction<string>>;
  readonly files: DraftFiles;
  readonly slash: SlashMenuState;
  readonly area: RefObject<HTMLTextAreaElement | null>;
  readonly rows: number;
  readonly placeholder: string;
  /** The line above the text: what the message replies to, or its project. */
  readonly head: ReactNode;
  /** Additional controls below the text. */
  readonly controls?: ReactNode;
  /** The button that sends or stops. */
  readonly button: ReactNode;
  readonly onFocusChange: (focused: boolean) => void;
  /** Called for Enter; without a reply if Alt is held. */
  readonly onSend: (answer: boolean) => void;
  /** Whether files that are dropped anywhere on the page are attached, not only those dropped on the composer. */
  readonly takesAllFiles?: boolean;
  /** Whether the options of the chat are loaded. Before that they cannot be chosen, because loading replaces them. */
  readonly optionsKnown?: boolean;
  /** Called for Escape; by default the text loses the focus. */
  readonly onEscape?: (() => void) | null;
}

/** The text of the next message with its files and controls, in a chat and on the start screen. */
export function ComposerBox({
  text,
  setText,
  files,
  slash,
  area,
  rows,
  placeholder,
  head,
  controls,
  button,
  onFocusChange,
  onSend,
  takesAllFiles = false,
  optionsKnown = true,
  onEscape,
}: ComposerBoxProps): ReactElement {
  useLayoutEffect(() => fitTextAreaHeight(area.current, text, mostHeight), [area, text]);
  const { isOver, ...dropTarget } = useFileDrop(files, takesAllFiles);
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (isInputMethodKey(event) || slash.onKeyDown(event, setText)) return;
    if (event.key === 'Enter' && isSendingEnter(event)) {
      event.preventDefault();
      onSend(!event.altKey);
    } else if (event.key === 'Escape') {
      if (onEscape == null) event.currentTarget.blur();
      else onEscape();
    }
  };
  return (
    <>
      <SlashMenu slash={slash} onPick={setText} />
      <section className={isOver ? 'composer over' : 'composer'} aria-label={t('composer')} {...dropTarget}>
        {head}
        <textarea
          id="composer"
          ref={area}
          className="text"
          rows={rows}
          value={text}
          placeholder={placeholder}
          aria-label={t('message')}
          aria-autocomplete="list"
          aria-controls={slash.open ? 'slash-menu' : undefined}
          aria-activedescendant={slash.open ? slashMenuOptionId(slash.at) : undefined}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={(event) => pasteAsFiles(event, files)}
          onFocus={() => onFocusChange(true)}
          onBlur={() => onFocusChange(false)}
          dir="auto"
        />
        {files.list.length === 0 ? null : <FileChips files={files} />}
        <MissingModelNote />
        <div className="tray">
          <ComposerTray
            optionsKnown={optionsKnown}
            onFiles={files.add}
            onDictated={(words) => setText((now) => joinWords(now, words))}
          >
            {controls}
          </ComposerTray>
          {button}
        </div>
      </section>
    </>
  );
}

/** Whether Enter sends. On a touch screen it starts a new line: the keyboard there has no Shift+Enter. */
function isSendingEnter({ shiftKey, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (shiftKey) return false;
  return ctrlKey || metaKey || altKey || !matchMedia('(hover: none) and (pointer: coarse)').matches;
}

/** Whether a program copied a text. Spreadsheets and word processors add a picture of what was copied. */
function isCopiedText(data: DataTransfer): boolean {
  return data.getData('text/plain').trim() !== '' && data.getData('text/html') !== '';
}

/** Attaches pasted files, and a long pasted text as a file; a shorter text is pasted as usual. */
function pasteAsFiles(event: ClipboardEvent, files: DraftFiles): void {
  if (event.clipboardData.files.length > 0 && !isCopiedText(event.clipboardData)) {
    event.preventDefault();
    files.add(event.clipboardData.files);
    return;
  }
  const pasted = event.clipboardData.getData('text/plain');
  if (pasted.length <= longestPaste) return;
  event.preventDefault();
  files.add([new File([pasted], t('pastedName'), { type: 'text/plain' })]);
  showToast({ icon: 'clip', text: t('pastedAsFile', { n: pasted.length }) });
}

/** Attaches dropped files. A file that is dropped elsewhere on the start screen is imported. */
function useFileDrop(files: DraftFiles, takesAllFiles: boolean) {
  const [isOver, setOver] = useState(false);
  const addFiles = useRef(files.add);
  addFiles.current = files.add;
  useEffect(() => {
    if (!takesAllFiles) return undefined;
    const isCovered = () => document.querySelector('dialog[open]') !== null;
    return registerFileReceiver({
      onOver: (over) => setOver(over && !isCovered()),
      onDrop: (data) => {
        if (!isCovered()) addFiles.current(data.files);
      },
    });
  }, [takesAllFiles]);
  return {
    isOver,
    onDragOver: (event: DragEvent) => {
      event.preventDefault();
      event.stopPropagation();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      if (event.dataTransfer.files.length === 0) return;
      event.preventDefault();
      event.stopPropagation();
      setOver(false);
      files.add(event.dataTransfer.files);
    },
  };
}

/** Appends dictated words to the text. */
function joinWords(text: string, words: string): string {
  return text === '' || /\s$/.test(text) ? text + words : `${text} ${words}`;
}
