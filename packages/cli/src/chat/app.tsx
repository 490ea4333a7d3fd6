/** The interface: a thread that scrolls, a line to write on, and panels over the thread. What it shows is Talk's state. */
import type { NodeId, TopologyNode } from '@coppice/core';
import { Box, Text, useApp, useStdout } from 'ink';
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { sizeOr } from '../output.ts';
import { oneLine } from '../terminal/strip-control-sequences.ts';
import type { Style } from '../terminal/style.ts';
import { widthOf } from '../terminal/width.ts';
import type { ChatSession } from './chat-session.ts';
import { draftLines } from './draft-lines.ts';
import { type EditorDraft, edits, emptyDraft, insertText, toEditorDraft } from './editor.ts';
import type { EditorResult } from './external-editor.ts';
import { actionOf, keyHelp } from './keys.ts';
import { noticeLines } from './notice-lines.ts';
import { type ChatPanel, type ModelChoiceLine, PanelView, panelKey, panelPaste } from './panels.tsx';
import { ThreadLines } from './thread-lines.ts';
import { findInTexts, loadRows, missingRows, readPicker, withFound, withRows } from './tree-picker.ts';
import { useTerminalKeys } from './use-keys.ts';

/** What the interface is made with. */
export interface ChatAppProps {
  readonly chatSession: ChatSession;
  readonly style: Style;
  /** The models to choose from. */
  readonly models: () => readonly ModelChoiceLine[];
  /** Asks the configured servers which models they have, and gives the models to choose from then. */
  readonly askForModels: () => Promise<readonly ModelChoiceLine[]>;
  /** Lets the user write a text in their own editor, or says why not; null where there is none. */
  readonly edit: ((text: string) => EditorResult) | null;
}

/** How long whoever types a search is waited for. */
const searchAfterMs = 60;

/** The whole screen. */
export function ChatApp({ chatSession, style, models, askForModels, edit }: ChatAppProps) {
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
  const [leaving, setLeaving] = useState(false);
  // What was being written when the user went back to what they sent is there again when they come back.
  const [history, setHistory] = useState<{
    readonly sent: readonly string[];
    readonly at: number;
    readonly kept: string;
  }>({ sent: [], at: 0, kept: '' });
  const thread = useRef(new ThreadLines());

  const width = Math.max(10, columns - 1);
  const lines = useMemo(() => thread.current.of(state, width, style, focus), [state, width, style, focus]);
  const shownPrompt = draftLines(draft, width - 2, Math.max(1, Math.floor(rows / 3)), style);
  const notice = noticeLines(state, width, Math.max(3, Math.floor(rows / 2)), style);
  const space = Math.max(1, rows - 3 - shownPrompt.length - notice.length);
  const furthest = Math.max(0, lines.length - space);
  const offset = Math.min(scroll, furthest);
  const shown = lines.slice(Math.max(0, lines.length - space - offset), lines.length - offset);

  // New text is followed only by those who are at its end.
  useEffect(() => {
    if (scroll > furthest) setScroll(furthest);
  }, [scroll, furthest]);

  const submit = async (text: string) => {
    if (text.trim() === '') return;
    if (/^\/(?:quit|exit)\s*$/.test(text)) return exit();
    if (chatSession.busy) return chatSession.tellBusy(' Your text is kept.');
    setDraft(emptyDraft);
    setHistory(({ sent }) => ({ sent: [...sent, text], at: sent.length + 1, kept: '' }));
    setScroll(0);
    setFocus(null);
    // What could not be stored is given back, unless something else was written meanwhile.
    const giveBack = () => setDraft((now) => (now.text === '' ? toEditorDraft(text) : now));
    if (!text.startsWith('/')) return (await chatSession.send(text)) ? undefined : giveBack();
    const result = await chatSession.command(text);
    if (result === null) return giveBack();
    if (result.selectedText !== undefined) setDraft(toEditorDraft(result.selectedText));
    if (result.text !== undefined) setPanel({ type: 'text', title: text, text: result.text, top: 0 });
  };
  const goTo = async (node: NodeId) => {
    setScroll(0);
    setFocus(null);
    const text = (await chatSession.command(`/switch ${node}`))?.selectedText;
    // A message of one's own is there to be changed, but not in the place of what is being written.
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
    // What is known is shown at once; what servers answer is added where the panel is still open.
    const show = (choices: readonly ModelChoiceLine[]) =>
      setPanel((now) => (now?.type === 'models' ? { ...now, choices } : now));
    askForModels().then(show, (error) => chatSession.note(String(error?.message ?? error), true));
  };
  const lookedFor = panel?.type === 'tree' ? panel.picker.search : '';
  useEffect(() => {
    const id = chatSession.treeId;
    if (id === null || lookedFor.trim() === '') return;
    const show = (found: readonly NodeId[]) =>
      setPanel((now) => (now?.type === 'tree' ? { ...now, picker: withFound(now.picker, lookedFor, found) } : now));
    // Whoever types fast is asked for once.
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

  useTerminalKeys(
    (input, key) => {
      if (state.question !== null) {
        if (input === 'y' || input === 'Y') state.question.answer(true);
        else if (input === 'n' || input === 'N' || key.escape) state.question.answer(false);
        else if (key.ctrl && input === 'c') chatSession.stop();
        return;
      }
      if (panel !== null) {
        const move = panelKey(panel, input, key, { width, height: space });
        if ('panel' in move) return setPanel(move.panel);
        setPanel(null);
        if ('node' in move) void goTo(move.node);
        if ('model' in move) chatSession.use(move.model);
        if (!('passes' in move)) return;
      }
      const action = actionOf(input, key);
      if (action !== 'stop') setLeaving(false);
      switch (action) {
        case 'send':
          return void submit(draft.text);
        case 'newline':
          return setDraft((now) => insertText(now, '\n'));
        case 'stop':
          if (chatSession.stop()) return;
          if (draft.text !== '') return setDraft(emptyDraft);
          if (leaving) return exit();
          setLeaving(true);
          return chatSession.note('Press Ctrl-C again to leave.', false);
        case 'leave':
          return draft.text === '' ? exit() : undefined;
        case 'tree':
          return void openTree();
        case 'models':
          return openModels();
        case 'editor': {
          if (edit === null) return chatSession.note('Set EDITOR to use your own editor.', true);
          const edited = edit(draft.text);
          // The editor drew on the screen: everything is drawn anew, also where nothing changed.
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
      if (key.escape) return setFocus(null);
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
      <Text>{style.quiet('─'.repeat(width))}</Text>
      <Text>{shownPrompt.join('\n')}</Text>
    </Box>
  );
}

/** What the conversation goes by and who answers; where there is little room, only the first. */
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
