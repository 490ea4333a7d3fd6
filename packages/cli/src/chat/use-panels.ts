/** React hook for the open panel, and the data that it loads. */
import type { NodeId, TopologyNode } from '@coppice/core';
import { useCallback, useEffect, useRef, useState } from 'react';
import { findChatAtCursor, findChats, readChatPreview, replaceListedChats } from './chat-picker.ts';
import type { ChatSession } from './chat-session.ts';
import { type ChatPanel, type ModelChoiceLine, replaceModelChoices } from './panels.tsx';
import {
  addSearchHits,
  addTreePickerRows,
  findMissingTreePickerRows,
  findNodesByText,
  loadTreePickerRows,
  readTreePicker,
} from './tree-picker.ts';

/** The delay before a search starts while the user types. */
const searchAfterMs = 60;

/** The chat, the screen and the lists of models that panels need. */
export interface PanelOptions {
  readonly chatSession: ChatSession;
  /** The lines of the screen. */
  readonly rows: number;
  /** Returns the models that the user can choose from. */
  readonly models: () => readonly ModelChoiceLine[];
  /** Reads the models of the configured servers and returns the new list. */
  readonly askForModels: () => Promise<readonly ModelChoiceLine[]>;
  /** Whether the interface first lets the user choose a past chat. */
  readonly choosesChat: boolean;
}

/** The panel over the thread and the functions that open one. */
export interface PanelState {
  readonly panel: ChatPanel | null;
  /** Replaces the panel; a function gets the newest one, which may not be rendered yet. */
  setPanel(change: ChatPanel | null | ((newest: ChatPanel | null) => ChatPanel | null)): void;
  /** The newest panel, which may not be rendered yet. */
  newestPanel(): ChatPanel | null;
  openTree(): void;
  openModels(): void;
  openChats(): void;
}

export function usePanels({ chatSession, rows, models, askForModels, choosesChat }: PanelOptions): PanelState {
  const [panel, showPanel] = useState<ChatPanel | null>(null);
  // Holds the newest state: a key and a response that arrive before the next rendering must not undo each other.
  const newest = useRef<ChatPanel | null>(null);
  const setPanel = useCallback<PanelState['setPanel']>((change) => {
    newest.current = typeof change === 'function' ? change(newest.current) : change;
    showPanel(newest.current);
  }, []);
  const fail = useCallback(
    (error: unknown) => chatSession.note(error instanceof Error ? error.message : String(error), true),
    [chatSession],
  );

  const openTree = async () => {
    const id = chatSession.treeId;
    if (id === null) return chatSession.note('This chat is empty. Send a message first.', true);
    setPanel({ type: 'tree', picker: await readTreePicker(chatSession.store, id, chatSession.here) });
  };
  const openModels = () => {
    const { model } = chatSession.state;
    const known = models();
    // The current model of a server is listed before the server has answered: Enter must not choose another one.
    const choices = known.some(({ id }) => id === model) ? known : [{ id: model, label: model, ready: true }, ...known];
    setPanel({ type: 'models', choices, search: '', at: choices.findIndex(({ id }) => id === model) });
    // Known models are shown immediately; those of servers are added if the panel is still open.
    const show = (choices: readonly ModelChoiceLine[]) =>
      setPanel((now) => (now?.type === 'models' ? replaceModelChoices(now, choices) : now));
    askForModels().then(show, fail);
  };
  const openChats = async () => {
    const chats = await findChats(chatSession.store, '');
    if (chats.length === 0) return chatSession.note('There is no past chat yet.');
    setPanel({ type: 'chats', chats: { chats, search: '', at: 0, preview: null } });
  };
  const latest = useRef(openChats);
  latest.current = openChats;
  const isFirst = useRef(choosesChat);
  useEffect(() => {
    if (isFirst.current) latest.current().catch(fail);
    isFirst.current = false;
  }, [fail]);

  useTreePanel(panel, setPanel, { chatSession, rows, fail });
  useChatsPanel(panel, setPanel, { chatSession, fail });

  return {
    panel,
    setPanel,
    newestPanel: () => newest.current,
    openTree: () => void openTree().catch(fail),
    openModels,
    openChats: () => void openChats().catch(fail),
  };
}

interface PanelServices extends Pick<PanelOptions, 'chatSession' | 'rows'> {
  readonly fail: (error: unknown) => void;
}

/** Loads the rows that the tree panel shows, and the messages that contain the search text. */
function useTreePanel(
  panel: ChatPanel | null,
  setPanel: PanelState['setPanel'],
  { chatSession, rows, fail }: PanelServices,
): void {
  const picker = panel?.type === 'tree' ? panel.picker : null;
  useEffect(() => {
    const id = chatSession.treeId;
    const missing = picker === null ? [] : findMissingTreePickerRows(picker, rows);
    if (id === null || picker === null || missing.length === 0) return;
    const show = (found: ReadonlyMap<NodeId, TopologyNode>) =>
      setPanel((now) => (now?.type === 'tree' ? { ...now, picker: addTreePickerRows(now.picker, found) } : now));
    loadTreePickerRows(chatSession.store, id, picker, missing).then(show, fail);
  }, [chatSession, picker, rows, setPanel, fail]);

  const searchText = picker?.search ?? '';
  useEffect(() => {
    const id = chatSession.treeId;
    if (id === null || searchText.trim() === '') return;
    const show = (found: readonly NodeId[]) =>
      setPanel((now) =>
        now?.type === 'tree' ? { ...now, picker: addSearchHits(now.picker, searchText, found) } : now,
      );
    // Debounced, so that fast typing starts only one search. A search that has started stops after its current page.
    let isCurrent = true;
    const wait = setTimeout(
      () => void findNodesByText(chatSession.store, id, searchText, () => isCurrent).then(show, fail),
      searchAfterMs,
    );
    return () => {
      isCurrent = false;
      clearTimeout(wait);
    };
  }, [chatSession, searchText, setPanel, fail]);
}

/** Loads the chats that match the search text of the panel, and the preview of the chat under the cursor. */
function useChatsPanel(
  panel: ChatPanel | null,
  setPanel: PanelState['setPanel'],
  { chatSession, fail }: Pick<PanelServices, 'chatSession' | 'fail'>,
): void {
  const chats = panel?.type === 'chats' ? panel.chats : null;
  const chatSearch = chats?.search ?? null;
  useEffect(() => {
    if (chatSearch === null) return;
    let isCurrent = true;
    const show = (found: Awaited<ReturnType<typeof findChats>>) => {
      if (isCurrent)
        setPanel((now) => (now?.type === 'chats' ? { ...now, chats: replaceListedChats(now.chats, found) } : now));
    };
    const wait = setTimeout(() => void findChats(chatSession.store, chatSearch).then(show, fail), searchAfterMs);
    return () => {
      isCurrent = false;
      clearTimeout(wait);
    };
  }, [chatSession, chatSearch, setPanel, fail]);

  const underCursor = chats === null ? null : findChatAtCursor(chats);
  useEffect(() => {
    if (underCursor === null) return;
    readChatPreview(chatSession.store, underCursor).then(
      (preview) => setPanel((now) => (now?.type === 'chats' ? { ...now, chats: { ...now.chats, preview } } : now)),
      fail,
    );
  }, [chatSession, underCursor, setPanel, fail]);
}
