/**
 * The terminal interface: it renders the state of ChatSession, in the flow of the terminal or on the full screen, and
 * turns keys into actions.
 */
import type { NodeId } from '@coppice/core';
import { useStdout } from 'ink';
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { oneLine } from '../terminal/strip-control-sequences.ts';
import type { Style } from '../terminal/style.ts';
import type { ChatSession } from './chat-session.ts';
import { draftLines } from './draft-lines.ts';
import type { EditorResult } from './external-editor.ts';
import { droppedImage } from './file-attachments.ts';
import type { InputHistory } from './input-history.ts';
import { actionOfKey, type KeyAction, keyHelp } from './keys.ts';
import { menuLines } from './menu.ts';
import { noticeLines } from './notice-lines.ts';
import { type MenuCommand, ownCommandOf, ownHelp } from './own-commands.ts';
import { type ModelChoiceLine, panelKey, panelPaste } from './panels.tsx';
import { type OwnCommandScope, runOwnCommand } from './run-own-command.ts';
import { statusLine } from './status-line.ts';
import { messageHead, ThreadLines } from './thread-lines.ts';
import type { TranscriptFeed } from './transcript-feed.ts';
import { useInputLine } from './use-composer.ts';
import { useTerminalKeys } from './use-keys.ts';
import { usePanels } from './use-panels.ts';
import { useScreen } from './use-screen.ts';
import { doingText, FullScreenView, InlineView, titleLine } from './views.tsx';

export interface ChatAppProps {
  readonly chatSession: ChatSession;
  readonly style: Style;
  /** Prints the chat into the scrollback; null if the chat uses the full screen. */
  readonly transcript: TranscriptFeed | null;
  /** The models to choose from. */
  readonly models: () => readonly ModelChoiceLine[];
  /** Asks the configured servers for their models and returns the new list. */
  readonly askForModels: () => Promise<readonly ModelChoiceLine[]>;
  /** Edits a text in the user's editor, or returns why that failed; null if there is no editor. */
  readonly edit: ((text: string) => EditorResult) | null;
  /** Saves the image of the clipboard and returns its path, or why there is none. */
  readonly pasteImage: () => Promise<{ readonly path: string } | { readonly failed: string }>;
  /** The texts of earlier chats. */
  readonly inputHistory: InputHistory;
  /** Whether to begin with the choice of a past chat. */
  readonly choosesChat: boolean;
  /** The commands that every interface has. */
  readonly commands: readonly MenuCommand[];
  readonly tools: OwnCommandScope['tools'];
  /** The context window of a model in tokens; null if it is not known. */
  readonly windowOf: (model: string) => number | null;
  /** The working directory. */
  readonly folder: string;
  /** Ends the interface. */
  readonly leave: () => void;
}

// On a lower screen the thread needs the line.
const leastForStatus = 12;

const noPieces: TranscriptFeed['pieces'] = [];

export function ChatApp(props: ChatAppProps) {
  const { chatSession, style, edit, transcript, leave } = props;
  const { write } = useStdout();
  const size = useScreen();
  const { columns, rows } = size;
  const state = useSyncExternalStore(
    (listener) => chatSession.listen(listener),
    () => chatSession.state,
  );
  const pieces = useSyncExternalStore(
    (listener) => transcript?.listen(listener) ?? (() => undefined),
    () => transcript?.pieces ?? noPieces,
  );
  const { panel, setPanel, newestPanel, openTree, openModels, openChats } = usePanels({ ...props, rows });
  const composer = useInputLine({ ...props, isCovered: panel !== null || state.question !== null });
  const { draft } = composer;
  const [scroll, setScroll] = useState(0);
  const [focus, setFocus] = useState<NodeId | null>(null);
  /** The key that does something when it is pressed again. */
  const [armed, setArmed] = useState<'leave' | 'edit-last' | null>(null);
  const thread = useRef(new ThreadLines());

  const width = Math.max(10, columns - 1);
  const isInline = transcript !== null;
  const lines = useMemo(
    () => (isInline ? [] : thread.current.of(state, width, style, focus)),
    [isInline, state, width, style, focus],
  );
  const focused = isInline ? state.nodes.find((node) => node.id === focus) : undefined;
  const footer = {
    notice: [
      ...(isInline ? state.waiting.map((text) => style.quiet(oneLine(`Waiting: ${text}`, width))).slice(-2) : []),
      ...(focused === undefined
        ? []
        : [messageHead(focused, state, style, focus, width), oneLine(focused.text, width)]),
      ...noticeLines(state, width, Math.max(3, Math.floor(rows / 2)), style),
    ].slice(-Math.max(4, rows - 4)),
    menu: menuLines(composer.menu, composer.selected, width, Math.max(1, Math.floor((rows - 4) / 3)), style),
    prompt: draftLines(draft, width - 2, Math.max(1, Math.floor(rows / 3)), style),
    status:
      rows < leastForStatus
        ? null
        : statusLine(state, props.windowOf(state.model), width, isInline ? doingText(chatSession) : null),
  };
  const taken = footer.notice.length + footer.menu.length + footer.prompt.length + (footer.status === null ? 0 : 1);
  // The title and the rule of the full screen; and one line that the cursor needs below everything.
  const space = Math.max(1, rows - taken - (isInline ? 1 : 3));
  const furthest = Math.max(0, lines.length - space);
  const offset = Math.min(scroll, furthest);
  const shown = lines.slice(Math.max(0, lines.length - space - offset), lines.length - offset);

  // The view follows new text only if it was at the end.
  useEffect(() => {
    if (scroll > furthest) setScroll(furthest);
  }, [scroll, furthest]);

  /** Shows a long text: printed, or over the thread of the full screen. */
  const showText = (title: string, text: string) =>
    transcript === null ? setPanel({ type: 'text', title, text, top: 0 }) : transcript.print(title, text);

  const submit = async (text: string) => {
    if (text.trim() === '') return;
    composer.sent(text);
    setScroll(0);
    setFocus(null);
    const own = ownCommandOf(text);
    if (own !== null)
      return runOwnCommand(own.name, own.rest, {
        chatSession,
        folder: props.folder,
        tools: props.tools,
        write,
        openChats,
        openModels,
        showText,
        exit: leave,
      });
    // A message that could not be stored goes back into the input line, unless another text was typed meanwhile.
    const [, command] = /^!\s*(\S[^\n]*)$/.exec(text) ?? [];
    if (command !== undefined)
      return (await chatSession.shell(command, props.folder)) ? undefined : composer.giveBack(text);
    if (!text.startsWith('/'))
      return (await chatSession.send(text, props.folder)) ? undefined : composer.giveBack(text);
    const result = await chatSession.command(text);
    if (result === null) return composer.giveBack(text);
    if (result.selectedText !== undefined) composer.write(result.selectedText);
    if (result.text === undefined) return;
    const more = /^\/help\s*$/.test(text) ? `\n\nIn this terminal:\n${ownHelp()}` : '';
    showText(text, result.text + more);
  };
  /** Stops what is running. Messages that wait for it go back into the input line: they continue a stopped reply. */
  const stop = (): boolean => {
    const back = chatSession.takeBack();
    if (back.length > 0) composer.prepend(back);
    return chatSession.stop();
  };
  /** Goes back to before the last message and puts it into the input line. */
  const editLast = async () => {
    const text = (await chatSession.command('/pop --plain'))?.selectedText;
    if (text !== undefined) composer.giveBack(text);
  };
  const escape = () => {
    setFocus(null);
    if (armed === 'edit-last' && draft.text === '') {
      setArmed(null);
      return void editLast();
    }
    const stopped = stop();
    if (draft.text !== '' || chatSession.here === null) return;
    setArmed('edit-last');
    if (!stopped) chatSession.note('Press Esc again to edit your last message.', false);
  };
  const goTo = async (node: NodeId) => {
    setScroll(0);
    setFocus(null);
    const text = (await chatSession.command(`/switch ${node}`))?.selectedText;
    // The user's own message goes into the input line, unless another text was typed meanwhile.
    if (text !== undefined) composer.giveBack(text);
  };
  const moveFocus = (step: number) => {
    const { nodes } = chatSession.state;
    const at = nodes.findIndex((node) => node.id === focus);
    const next = nodes[at === -1 ? nodes.length - 1 : at + step];
    setFocus(next?.id ?? null);
    const line = lines.findIndex((each) => each.nodeId === next?.id);
    if (line !== -1) setScroll(Math.max(0, Math.min(furthest, lines.length - line - space)));
  };
  const vary = async (direction: 'next' | 'previous') => {
    const { nodes, places } = chatSession.state;
    const id = focus ?? nodes.findLast((node) => (places.get(node.id)?.[1] ?? 1) > 1)?.id ?? null;
    if (id === null) return chatSession.note('There is only one version here. Ctrl-R generates another.', false);
    await chatSession.vary(id, direction);
    setFocus(null);
  };
  const attachImage = async () => {
    const pasted = await props.pasteImage();
    if ('failed' in pasted) return chatSession.note(pasted.failed, true);
    composer.insert(`@${pasted.path} `);
  };
  const openEditor = () => {
    if (edit === null) return chatSession.note('Set EDITOR to use your own editor.', true);
    const edited = edit(draft.text);
    // The editor used the screen: everything is drawn again.
    write('\u001b[2J\u001b[H');
    if ('failed' in edited) chatSession.note(edited.failed, true);
    else composer.write(edited.text);
  };
  const complete = async () => {
    const { from, items } = await chatSession.complete(draft.text);
    const [first] = items;
    if (first === undefined) return;
    if (items.length === 1) composer.write(`${draft.text.slice(0, from)}${first.value} `);
    else chatSession.note(items.map((item) => item.label).join('  '), false);
  };
  const stopOrLeave = () => {
    if (stop()) return;
    if (draft.text !== '') return composer.write('');
    if (armed === 'leave') return leave();
    setArmed('leave');
    chatSession.note('Press Ctrl-C again to leave.', false);
  };

  const act = (action: KeyAction) => {
    switch (action) {
      case 'send':
        return void submit(draft.text);
      case 'newline':
        return composer.insert('\n');
      case 'stop':
        return stopOrLeave();
      case 'escape':
        return escape();
      case 'leave':
        return draft.text === '' ? leave() : undefined;
      case 'tree':
        return openTree();
      case 'models':
        return openModels();
      case 'editor':
        return openEditor();
      case 'again':
        return void chatSession.again();
      case 'thinking':
        return chatSession.cycleThinking();
      case 'paste-image':
        return void attachImage();
      case 'previous-variant':
        return void vary('previous');
      case 'next-variant':
        return void vary('next');
      case 'focus-up':
        return moveFocus(-1);
      case 'focus-down':
        return moveFocus(1);
      case 'page-up':
        return setScroll(Math.min(furthest, offset + space - 1));
      case 'page-down':
        return setScroll(Math.max(0, offset - space + 1));
      case 'keys':
        return showText('Keys', keyHelp());
      case 'complete':
        return void complete();
      default:
        return composer.edit(action);
    }
  };

  useTerminalKeys(
    (input, key) => {
      if (state.question !== null) {
        if (input === 'y' || input === 'Y') state.question.answer(true);
        else if ((input === 'a' || input === 'A') && state.question.canAllow) state.question.answer('always');
        else if (input === 'n' || input === 'N' || key.escape) state.question.answer(false);
        else if (key.ctrl && input === 'c') stop();
        return;
      }
      const open = newestPanel();
      if (open !== null) {
        const move = panelKey(open, input, key, { width, height: space });
        if ('panel' in move) return setPanel(move.panel);
        setPanel(null);
        if ('node' in move) void goTo(move.node);
        if ('model' in move) chatSession.use(move.model);
        if ('chat' in move) {
          setScroll(0);
          setFocus(null);
          void chatSession.openChat(move.chat);
        }
        if (!('passes' in move)) return;
      }
      const action = actionOfKey(input, key);
      if (composer.menuKey(action)) return;
      if (action !== 'stop' && action !== 'escape') setArmed(null);
      if (action !== null) return act(action);
      if (key.ctrl || key.meta || input === '') return;
      composer.insert(input);
    },
    (pasted) => {
      const open = newestPanel();
      const searching = open === null ? null : panelPaste(open, pasted);
      setPanel(searching);
      if (searching === null) composer.insert(droppedImage(pasted, props.folder) ?? pasted);
    },
  );

  const view = { panel, footer, space, width, style };
  if (transcript !== null) return <InlineView {...view} pieces={pieces} pending={transcript.pending()} />;
  return <FullScreenView {...view} size={size} title={titleLine(state, chatSession, width, style)} shown={shown} />;
}
