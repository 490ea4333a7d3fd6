/**
 * The terminal interface: a scrolling thread, an input line, and panels over the thread. It renders the state of
 * ChatSession.
 */
import type { NodeId, TopologyNode } from '@coppice/core';
import { Box, Text, useApp, useStdout } from 'ink';
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { sizeOr } from '../output.ts';
import { oneLine } from '../terminal/strip-control-sequences.ts';
import type { Style } from '../terminal/style.ts';
import { widthOf } from '../terminal/width.ts';
import { findChats, pickedChat, readPreview, withChats } from './chat-picker.ts';
import type { ChatSession } from './chat-session.ts';
import { draftLines } from './draft-lines.ts';
import { type EditorDraft, edits, emptyDraft, insertText, toEditorDraft } from './editor.ts';
import type { EditorResult } from './external-editor.ts';
import { completePath } from './file-attachments.ts';
import type { InputHistory } from './input-history.ts';
import { actionOf, keyHelp } from './keys.ts';
import { acceptCompletion, menuFor, menuLines } from './menu.ts';
import { noticeLines } from './notice-lines.ts';
import { type MenuCommand, ownCommandOf, ownCommands, ownHelp } from './own-commands.ts';
import { type ChatPanel, type ModelChoiceLine, PanelView, panelKey, panelPaste } from './panels.tsx';
import { type OwnCommandScope, runOwnCommand } from './run-own-command.ts';
import { statusLine } from './status-line.ts';
import { ThreadLines } from './thread-lines.ts';
import { findInTexts, loadRows, missingRows, readPicker, withFound, withRows } from './tree-picker.ts';
import { useTerminalKeys } from './use-keys.ts';

export interface ChatAppProps {
  readonly chatSession: ChatSession;
  readonly style: Style;
  /** The models to choose from. */
  readonly models: () => readonly ModelChoiceLine[];
  /** Asks the configured servers for their models and returns the new list. */
  readonly askForModels: () => Promise<readonly ModelChoiceLine[]>;
  /** Edits a text in the user's editor, or returns why that failed; null if there is no editor. */
  readonly edit: ((text: string) => EditorResult) | null;
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
}

// On a lower screen the thread needs the line.
const leastForStatus = 12;

/** The delay before a search starts while the user types. */
const searchAfterMs = 60;

export function ChatApp(props: ChatAppProps) {
  const { chatSession, style, models, askForModels, edit, inputHistory, commands } = props;
  const { exit } = useApp();
  const { write } = useStdout();
  const { columns, rows } = useScreen();
  const state = useSyncExternalStore(
    (listener) => chatSession.listen(listener),
    () => chatSession.state,
  );
  const [draft, setDraft] = useState<EditorDraft>(emptyDraft);
  const [panel, setPanel] = useState<ChatPanel | null>(null);
  const [scroll, setScroll] = useState(0);
  const [focus, setFocus] = useState<NodeId | null>(null);
  /** The key that does something when it is pressed again. */
  const [armed, setArmed] = useState<'leave' | 'edit-last' | null>(null);
  // The current draft is kept while the user looks through earlier messages.
  const [history, setHistory] = useState<{
    readonly sent: readonly string[];
    readonly at: number;
    readonly kept: string;
  }>({ sent: inputHistory.texts, at: inputHistory.texts.length, kept: '' });
  const [menuAt, setMenuAt] = useState(0);
  /** The draft for which Esc closed the menu. */
  const [menuClosedFor, setMenuClosedFor] = useState<string | null>(null);
  const thread = useRef(new ThreadLines());

  const width = Math.max(10, columns - 1);
  const lines = useMemo(() => thread.current.of(state, width, style, focus), [state, width, style, focus]);
  const shownPrompt = draftLines(draft, width - 2, Math.max(1, Math.floor(rows / 3)), style);
  const notice = noticeLines(state, width, Math.max(3, Math.floor(rows / 2)), style);
  const menu = useMemo(
    () =>
      panel !== null || state.question !== null || draft.text === menuClosedFor
        ? { from: 0, items: [] }
        : menuFor(draft, menuOf(commands), (typed) => completePath(typed, props.folder)),
    [panel, state.question, draft, menuClosedFor, commands, props.folder],
  );
  const selected = Math.min(menuAt, Math.max(0, menu.items.length - 1));
  const shownMenu = menuLines(menu, selected, width, Math.max(1, Math.floor((rows - 4) / 3)), style);
  const status = rows < leastForStatus ? null : statusLine(state, props.windowOf(state.model), width);
  const space = Math.max(1, rows - (status === null ? 3 : 4) - shownPrompt.length - notice.length - shownMenu.length);
  const furthest = Math.max(0, lines.length - space);
  const offset = Math.min(scroll, furthest);
  const shown = lines.slice(Math.max(0, lines.length - space - offset), lines.length - offset);

  // The view follows new text only if it was at the end.
  useEffect(() => {
    if (scroll > furthest) setScroll(furthest);
  }, [scroll, furthest]);

  const submit = async (text: string) => {
    if (text.trim() === '') return;
    setDraft(emptyDraft);
    setHistory(({ sent }) => ({ sent: [...sent, text], at: sent.length + 1, kept: '' }));
    setScroll(0);
    setFocus(null);
    inputHistory.add(text);
    const own = ownCommandOf(text);
    if (own !== null)
      return runOwnCommand(own.name, own.rest, {
        chatSession,
        folder: props.folder,
        tools: props.tools,
        write,
        openChats: () => void openChats(),
        openModels,
        showText: (title, shownText) => setPanel({ type: 'text', title, text: shownText, top: 0 }),
        exit,
      });
    // A message that could not be stored goes back into the input line, unless another text was typed meanwhile.
    const giveBack = () => setDraft((now) => (now.text === '' ? toEditorDraft(text) : now));
    const [, command] = /^!\s*(\S[^\n]*)$/.exec(text) ?? [];
    if (command !== undefined) return (await chatSession.shell(command, props.folder)) ? undefined : giveBack();
    if (!text.startsWith('/')) return (await chatSession.send(text, props.folder)) ? undefined : giveBack();
    const result = await chatSession.command(text);
    if (result === null) return giveBack();
    if (result.selectedText !== undefined) setDraft(toEditorDraft(result.selectedText));
    if (result.text === undefined) return;
    const more = /^\/help\s*$/.test(text) ? `\n\nIn this terminal:\n${ownHelp()}` : '';
    setPanel({ type: 'text', title: text, text: result.text + more, top: 0 });
  };
  /** Stops what is running. Messages that wait for it go back into the input line: they continue a stopped reply. */
  const stop = (): boolean => {
    const back = chatSession.takeBack();
    if (back.length > 0)
      setDraft((now) => toEditorDraft([...back, now.text].filter((text) => text !== '').join('\n\n')));
    return chatSession.stop();
  };
  /** Goes back to before the last message and puts it into the input line. */
  const editLast = async () => {
    const text = (await chatSession.command('/pop --plain'))?.selectedText;
    if (text !== undefined) setDraft((now) => (now.text === '' ? toEditorDraft(text) : now));
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
    if (text !== undefined) setDraft((now) => (now.text === '' ? toEditorDraft(text) : now));
  };
  const openTree = async () => {
    const id = chatSession.treeId;
    if (id === null) return chatSession.note('This chat is empty. Send a message first.', true);
    setPanel({ type: 'tree', picker: await readPicker(chatSession.store, id, chatSession.here) });
  };
  const picker = panel?.type === 'tree' ? panel.picker : null;
  useEffect(() => {
    const id = chatSession.treeId;
    const missing = picker === null ? [] : missingRows(picker, rows);
    if (id === null || picker === null || missing.length === 0) return;
    const show = (found: ReadonlyMap<NodeId, TopologyNode>) =>
      setPanel((now) => (now?.type === 'tree' ? { ...now, picker: withRows(now.picker, found) } : now));
    loadRows(chatSession.store, id, picker, missing).then(show, (error) =>
      chatSession.note(String(error?.message ?? error), true),
    );
  }, [chatSession, picker, rows]);
  const openModels = () => {
    setPanel({ type: 'models', choices: models(), search: '', at: 0 });
    // Known models are shown immediately; those of servers are added if the panel is still open.
    const show = (choices: readonly ModelChoiceLine[]) =>
      setPanel((now) => (now?.type === 'models' ? { ...now, choices } : now));
    askForModels().then(show, (error) => chatSession.note(String(error?.message ?? error), true));
  };
  const openChats = async () => {
    const chats = await findChats(chatSession.store, '');
    if (chats.length === 0) return chatSession.note('There is no past chat yet.');
    setPanel({ type: 'chats', chats: { chats, search: '', at: 0, preview: null } });
  };
  const firstChoice = useRef(props.choosesChat ? openChats : null);
  useEffect(() => {
    firstChoice.current?.().catch((error) => chatSession.note(String(error?.message ?? error), true));
    firstChoice.current = null;
  }, [chatSession]);
  const chats = panel?.type === 'chats' ? panel.chats : null;
  const chatSearch = chats?.search ?? null;
  useEffect(() => {
    if (chatSearch === null) return;
    let isCurrent = true;
    const show = (found: Awaited<ReturnType<typeof findChats>>) => {
      if (isCurrent) setPanel((now) => (now?.type === 'chats' ? { ...now, chats: withChats(now.chats, found) } : now));
    };
    const wait = setTimeout(
      () =>
        void findChats(chatSession.store, chatSearch).then(show, (error) =>
          chatSession.note(String(error?.message ?? error), true),
        ),
      searchAfterMs,
    );
    return () => {
      isCurrent = false;
      clearTimeout(wait);
    };
  }, [chatSession, chatSearch]);
  const underCursor = chats === null ? null : pickedChat(chats);
  useEffect(() => {
    if (underCursor === null) return;
    readPreview(chatSession.store, underCursor).then(
      (preview) => setPanel((now) => (now?.type === 'chats' ? { ...now, chats: { ...now.chats, preview } } : now)),
      (error) => chatSession.note(String(error?.message ?? error), true),
    );
  }, [chatSession, underCursor]);
  const lookedFor = panel?.type === 'tree' ? panel.picker.search : '';
  useEffect(() => {
    const id = chatSession.treeId;
    if (id === null || lookedFor.trim() === '') return;
    const show = (found: readonly NodeId[]) =>
      setPanel((now) => (now?.type === 'tree' ? { ...now, picker: withFound(now.picker, lookedFor, found) } : now));
    // Debounced: fast typing starts only one search.
    const wait = setTimeout(
      () =>
        void findInTexts(chatSession.store, id, lookedFor).then(show, (error) =>
          chatSession.note(String(error?.message ?? error), true),
        ),
      searchAfterMs,
    );
    return () => clearTimeout(wait);
  }, [chatSession, lookedFor]);
  const varied = (): NodeId | null => {
    const { nodes, places } = chatSession.state;
    if (focus !== null) return focus;
    return nodes.findLast((node) => (places.get(node.id)?.[1] ?? 1) > 1)?.id ?? null;
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
    const id = varied();
    if (id === null) return chatSession.note('There is only one version here. Ctrl-R generates another.', false);
    await chatSession.vary(id, direction);
    setFocus(null);
  };

  /** Handles a key in the menu over the input line. False if the menu does not use it. */
  const menuKey = (action: ReturnType<typeof actionOf>): boolean => {
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
        // What is already typed is sent.
        if (item === undefined || (action === 'send' && draft.text.slice(menu.from, draft.cursor) === item.value))
          return false;
        setMenuAt(0);
        setDraft(acceptCompletion(draft, menu, item));
        return true;
      default:
        setMenuAt(0);
        return false;
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
      if (panel !== null) {
        const move = panelKey(panel, input, key, { width, height: space });
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
      const action = actionOf(input, key);
      if (menu.items.length > 0 && menuKey(action)) return;
      if (action !== 'stop' && action !== 'escape') setArmed(null);
      switch (action) {
        case 'send':
          return void submit(draft.text);
        case 'newline':
          return setDraft((now) => insertText(now, '\n'));
        case 'stop':
          if (stop()) return;
          if (draft.text !== '') return setDraft(emptyDraft);
          if (armed === 'leave') return exit();
          setArmed('leave');
          return chatSession.note('Press Ctrl-C again to leave.', false);
        case 'escape':
          return escape();
        case 'leave':
          return draft.text === '' ? exit() : undefined;
        case 'tree':
          return void openTree();
        case 'models':
          return openModels();
        case 'editor': {
          if (edit === null) return chatSession.note('Set EDITOR to use your own editor.', true);
          const edited = edit(draft.text);
          // The editor used the screen: everything is drawn again.
          write('\u001b[2J\u001b[H');
          return 'failed' in edited ? chatSession.note(edited.failed, true) : setDraft(toEditorDraft(edited.text));
        }
        case 'again':
          return void chatSession.again();
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
          return setPanel({ type: 'text', title: 'Keys', text: keyHelp(), top: 0 });
        case 'complete':
          return void chatSession.complete(draft.text).then(({ from, items }) => {
            const [first] = items;
            if (first === undefined) return;
            if (items.length === 1) setDraft(toEditorDraft(`${draft.text.slice(0, from)}${first.value} `));
            else chatSession.note(items.map((item) => item.label).join('  '), false);
          });
        case 'up':
        case 'down': {
          const moved = edits[action](draft);
          if (moved !== null) return setDraft(moved);
          const at = Math.min(Math.max(0, history.at + (action === 'up' ? -1 : 1)), history.sent.length);
          if (at === history.at) return;
          const kept = history.at === history.sent.length ? draft.text : history.kept;
          setHistory({ ...history, at, kept });
          return setDraft(toEditorDraft(history.sent[at] ?? kept));
        }
        case null:
          break;
        default:
          return setDraft((now) => edits[action](now));
      }
      if (key.ctrl || key.meta || input === '') return;
      setDraft((now) => insertText(now, input));
    },
    (pasted) => {
      const searching = panel === null ? null : panelPaste(panel, pasted);
      setPanel(searching);
      if (searching === null) setDraft((now) => insertText(now, pasted));
    },
  );

  return (
    <Box flexDirection="column" width={columns} height={rows - 1}>
      <Text wrap="truncate">{titleLine(state, chatSession, width, style)}</Text>
      {panel === null ? (
        <Box flexDirection="column" height={space} justifyContent="flex-end" overflow="hidden">
          <Text>{shown.map((line) => (line.text === '' ? ' ' : line.text)).join('\n')}</Text>
        </Box>
      ) : (
        <Box flexDirection="column" height={space} overflow="hidden">
          <PanelView panel={panel} style={style} width={width} height={space} />
        </Box>
      )}
      {notice.length > 0 && <Text>{notice.join('\n')}</Text>}
      {shownMenu.length > 0 && <Text>{shownMenu.join('\n')}</Text>}
      <Text>{style.quiet('─'.repeat(width))}</Text>
      <Text>{shownPrompt.join('\n')}</Text>
      {status !== null && <Text>{style.quiet(status)}</Text>}
    </Box>
  );
}

/** The commands of every interface and those of the terminal, by name. */
function menuOf(commands: readonly MenuCommand[]): readonly MenuCommand[] {
  return [...commands, ...ownCommands].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Title and model; only the title if there is little space. */
function titleLine(
  state: ChatSession['state'],
  { busy, working }: Pick<ChatSession, 'busy' | 'working'>,
  width: number,
  style: Style,
): string {
  const far = busy ? 'answering…' : working ? 'working…' : countLine(state);
  const space = Math.min(40, Math.floor(width / 2) - widthOf(far));
  const beside = space < 10 ? far : `${oneLine(state.model, space)} · ${far}`;
  const title = oneLine(state.title ?? 'New chat', width - widthOf(beside) - 4);
  return `${style.active('❧')} ${style.strong(title)}  ${style.quiet(beside)}`;
}

function countLine({ nodes, more }: ChatSession['state']): string {
  return `${nodes.length}${more ? '+' : ''} ${nodes.length === 1 ? 'message' : 'messages'}`;
}

const screenOf = (stdout: { readonly columns?: number; readonly rows?: number }) => ({
  columns: sizeOr(stdout.columns, 80),
  rows: sizeOr(stdout.rows, 24),
});

function useScreen(): { readonly columns: number; readonly rows: number } {
  const { stdout } = useStdout();
  const [size, setSize] = useState(screenOf(stdout));
  useEffect(() => {
    const resized = () => setSize(screenOf(stdout));
    stdout.on('resize', resized);
    return () => void stdout.off('resize', resized);
  }, [stdout]);
  return size;
}
