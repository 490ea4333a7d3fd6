/**
 * The terminal interface: it renders the state of ChatSession, in the flow of the terminal or on the full screen, and
 * turns keys into actions.
 */
import type { Key } from 'ink';
import { useState, useSyncExternalStore } from 'react';
import type { TextStyles } from '../terminal/style.ts';
import {
  type ArmedAction,
  armedActionNotices,
  goToMessage,
  type KeyActionScope,
  runKeyAction,
  stopReply,
} from './chat-actions.ts';
import { countFooterLines, renderFooter } from './chat-footer.ts';
import type { ChatSession } from './chat-session.ts';
import type { ChatState } from './chat-state.ts';
import type { EditorResult } from './external-editor.ts';
import { findDroppedImage } from './file-attachments.ts';
import type { InputHistory } from './input-history.ts';
import { findKeyAction } from './keys.ts';
import { handlePanelKey, handlePanelPaste, type ModelChoiceLine, type PanelKeyResult } from './panels.tsx';
import type { TerminalSlashCommandScope } from './run-terminal-slash-command.ts';
import type { ScreenWriter } from './screen-writer.ts';
import type { MenuCommand } from './terminal-slash-commands.ts';
import type { TranscriptQueue } from './transcript-queue.ts';
import { useInputLine } from './use-input-line.ts';
import { useTerminalKeys } from './use-keys.ts';
import { usePanels } from './use-panels.ts';
import { useScreenSize } from './use-screen-size.ts';
import { useThreadView } from './use-thread-view.ts';
import { FullScreenView, InlineView, renderTitleLine } from './views.tsx';

export interface ChatAppProps {
  readonly chatSession: ChatSession;
  readonly style: TextStyles;
  /** Prints the chat into the scrollback; null if the chat uses the full screen. */
  readonly transcript: TranscriptQueue | null;
  /** The screen, for output that is not part of a frame, such as the text that `/copy` sends to the clipboard. */
  readonly screen: ScreenWriter;
  /** Returns the models that the user can choose from. */
  readonly models: () => readonly ModelChoiceLine[];
  /** Reads the models of the configured servers and returns the new list. */
  readonly askForModels: () => Promise<readonly ModelChoiceLine[]>;
  /** Edits a text in the user's editor, or returns why that failed; null if there is no editor. */
  readonly edit: ((text: string) => EditorResult) | null;
  /** Saves the image of the clipboard and returns its path, or why the clipboard gave no image. */
  readonly pasteImage: () => Promise<{ readonly path: string } | { readonly failed: string }>;
  /** The texts that were sent in earlier chats. */
  readonly inputHistory: InputHistory;
  /** Whether the interface first lets the user choose a past chat. */
  readonly choosesChat: boolean;
  /** The commands that every interface of Coppice has. */
  readonly commands: readonly MenuCommand[];
  readonly tools: TerminalSlashCommandScope['tools'];
  /** The context window of a model in tokens; null if it is unknown. */
  readonly windowOf: (model: string) => number | null;
  /** The working directory. */
  readonly folder: string;
  readonly leave: () => void;
  /** Stops the program until the shell continues it; null if the system cannot. */
  readonly suspend: (() => Promise<void>) | null;
}

export function ChatApp(props: ChatAppProps) {
  const { chatSession, style, transcript } = props;
  const size = useScreenSize();
  const { columns, rows } = size;
  const state = useSyncExternalStore(
    (listener) => chatSession.listen(listener),
    () => chatSession.state,
  );
  const panels = usePanels({ ...props, rows });
  const { panel, setPanel, newestPanel } = panels;
  const composer = useInputLine({ ...props, isCovered: panel !== null || state.question !== null });
  const [armed, setArmed] = useState<ArmedAction>(null);

  const width = Math.max(10, columns - 1);
  const isInline = transcript !== null;
  const view = useThreadView({ state, isInline, width, style });
  const footer = renderFooter({
    ...props,
    state,
    composer,
    isInline,
    hasPanel: panel !== null,
    focus: view.focus,
    width,
    rows,
  });
  // The full screen also has a title and a rule. Both layouts leave one row at the bottom for the cursor.
  const space = Math.max(1, rows - countFooterLines(footer) - (isInline ? 1 : 3));
  const showText = (title: string, text: string) =>
    transcript === null ? setPanel({ type: 'text', title, text, top: 0 }) : transcript.print(title, text);
  const scope: KeyActionScope = { ...props, composer, panels, view, space, armed, setArmed, showText };

  useTerminalKeys(
    (input, key) => {
      // A letter of a text that is being typed must not approve anything.
      const isAnswer = composer.draft.text === '' || key.escape || (key.ctrl && input === 'c');
      if (state.question !== null && isAnswer) return answerQuestion(state.question, input, key, scope);
      const open = newestPanel();
      if (open !== null) {
        const move = handlePanelKey(open, input, key, { width, height: space });
        applyPanelMove(move, scope);
        if (!('passes' in move)) return;
      }
      const action = findKeyAction(input, key);
      if (composer.menuKey(action)) return;
      if (armed !== null && action !== 'stop' && action !== 'escape') {
        setArmed(null);
        chatSession.dismiss(armedActionNotices[armed]);
      }
      if (action !== null) return runKeyAction(action, scope);
      if (key.ctrl || key.meta || input === '') return;
      composer.insert(input);
    },
    (pasted) => {
      const open = newestPanel();
      const searching = open === null ? null : handlePanelPaste(open, pasted);
      setPanel(searching);
      if (searching === null) composer.insert(findDroppedImage(pasted, props.folder) ?? pasted);
    },
  );

  const layout = { panel, footer, space, width, style };
  if (transcript !== null) return <InlineView {...layout} pending={transcript.pending()} />;
  const title = renderTitleLine(state, chatSession, width, style);
  return <FullScreenView {...layout} size={size} title={title} shown={view.shown(space)} />;
}

/** Answers the open question: `y` approves, `n` or Esc declines, and `a` approves always if the question allows it. */
function answerQuestion(
  question: NonNullable<ChatState['question']>,
  input: string,
  key: Key,
  scope: KeyActionScope,
): void {
  const letter = input.toLowerCase();
  if (letter === 'y') question.answer(true);
  else if (letter === 'a' && question.canAllow) question.answer('always');
  else if (letter === 'n' || key.escape) question.answer(false);
  else if (key.ctrl && input === 'c') stopReply(scope);
}

/** Applies the effect of a key in a panel: a new state of the panel, or its choice. */
function applyPanelMove(move: PanelKeyResult, scope: KeyActionScope): void {
  const { chatSession, panels, view } = scope;
  panels.setPanel('panel' in move ? move.panel : null);
  if ('node' in move) void goToMessage(move.node, scope);
  if ('model' in move) chatSession.use(move.model);
  if ('chat' in move) {
    view.showEnd();
    void chatSession.openChat(move.chat);
  }
}
