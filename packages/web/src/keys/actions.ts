/** All actions of the page: keyboard, palette, menus and buttons use this list. */
import { shownPath, type TreeSession, variantPositionOf } from '@coppice/client';
import type { Node } from '@coppice/core';
import { isRightToLeft, type TextKey } from '../i18n/index.ts';
import { createTreeAndOpen, openNewChat } from '../state/new-tree.ts';
import { homeRoute, navigateTo, treeRoute, useRoute } from '../state/router.ts';
import { redoAct, switchToVariant, undoAct } from '../state/tree-actions.ts';
import { foldSidebar, openDialog, showPanel, useUi } from '../state/ui.ts';
import { redoAnywhere, undoAnywhere } from '../state/undo-anywhere.ts';
import { focusMessage } from '../thread/focus-message.ts';
import { messageActions } from '../thread/message-acts.ts';
import { buildThreadRows } from '../thread/rows.ts';
import { duplicateShownBranch, moveChatToTrash, togglePinned } from '../thread/tree-acts.ts';
import type { IconName } from '../ui/icon.tsx';
import { currentSession } from './current-session.ts';

/** An action that a key, the palette, a menu or a button can run. */
export interface PageAction {
  readonly id: string;
  readonly label: TextKey;
  readonly icon: IconName;
  /** For example `mod+k`, `shift+r`, `g m`; may be empty. */
  readonly keys: readonly string[];
  /** Whether the keys also work while a text field has the focus. */
  readonly typing?: boolean;
  readonly listed?: boolean;
  readonly danger?: boolean;
  /** Runs the action. Returns false if nothing was done, so that the browser handles the key. */
  run(): boolean | undefined;
}

function rowsNow(session: TreeSession): readonly Node[] {
  const { part } = session.state;
  return part === null ? [] : buildThreadRows(shownPath(part)).map((row) => row.node);
}

/** The message that keys act on: the current one, or the last. */
function currentNode(session: TreeSession): Node | null {
  const rows = rowsNow(session);
  const { current } = useUi.getState();
  const { part } = session.state;
  // In the middle of a long branch the last loaded row is not the last message.
  const last = part === null || part.until === null || part.leaf === null ? rows.at(-1) : part.nodes.get(part.leaf);
  return rows.find((node) => node.id === current) ?? last ?? null;
}

/** Makes a `run` function of an action that is always possible: the key counts as handled. */
function always(run: () => void): () => boolean {
  return () => {
    run();
    return true;
  };
}

function onTree(run: (session: TreeSession) => void): () => boolean {
  return () => {
    const session = currentSession();
    if (session === null) return false;
    run(session);
    return true;
  };
}

/** Makes an action that applies to the open chat or, if none is open, to the user's last act in any chat. */
function inTreeOrAnywhere(inTree: (session: TreeSession) => Promise<void>, anywhere: () => Promise<void>) {
  return always(() => {
    const session = currentSession();
    void (session === null ? anywhere() : inTree(session));
  });
}

const aboutMessages = new WeakSet<PageAction['run']>();

/** Whether an action is about the current message: its keys have no effect where no message is marked. */
export function isCurrentMessageAction(action: PageAction): boolean {
  return aboutMessages.has(action.run);
}

function onMessage(run: (session: TreeSession, node: Node) => void): () => boolean {
  const act = onTree((session) => {
    const node = currentNode(session);
    if (node !== null) run(session, node);
  });
  aboutMessages.add(act);
  return act;
}

function stepThread(session: TreeSession, by: number): void {
  const rows = rowsNow(session);
  const here = rows.findIndex((node) => node.id === useUi.getState().current);
  const next =
    rows[Math.max(0, Math.min(rows.length - 1, here < 0 ? rows.length - 1 + Math.min(0, by + 1) : here + by))];
  if (next === undefined) return;
  useUi.setState({ current: next.id });
  session.scrollTo(next.id);
  focusMessage(next.id);
}

function fork(session: TreeSession, by: number): void {
  const { part } = session.state;
  if (part === null) return;
  const rows = rowsNow(session);
  const here = rows.findIndex((node) => node.id === useUi.getState().current);
  for (let at = (here < 0 ? rows.length : here) + by; at >= 0 && at < rows.length; at += by) {
    const node = rows[at];
    if (node === undefined || variantPositionOf(part, node).ids.length < 2) continue;
    useUi.setState({ current: node.id });
    session.scrollTo(node.id);
    focusMessage(node.id);
    return;
  }
}

function variant(session: TreeSession, node: Node, by: number): void {
  const { part } = session.state;
  if (part === null) return;
  const { at, ids } = variantPositionOf(part, node);
  const next = ids[(at - 1 + by + ids.length) % ids.length];
  if (next === undefined || next === node.id) return;
  useUi.setState({ current: next });
  switchToVariant(session, next);
  focusMessage(next);
}

function screen(name: 'map' | 'context' | 'history' | 'thread'): () => boolean {
  return onTree((session) => navigateTo(treeRoute(session.treeId, { screen: name })));
}

/**
 * Leaves one thing per key press: the edit box, the drawer, the screen, the current message; finally focuses the
 * composer. An open dialog handles the key itself.
 */
function escape(): boolean {
  const ui = useUi.getState();
  const { place } = useRoute.getState();
  if (ui.opened !== null) return false;
  if (ui.editing !== null) useUi.setState({ editing: null });
  else if (ui.drawer) useUi.setState({ drawer: false });
  else if (place.name === 'tree' && place.screen !== 'thread') navigateTo(treeRoute(place.treeId));
  else if (ui.current !== null) useUi.setState({ current: null });
  else document.getElementById('composer')?.focus();
  return true;
}

// The arrow keys have the direction in which the variant switch shows the other version.
const [previousKey, nextKey] = isRightToLeft() ? ['arrowright', 'arrowleft'] : ['arrowleft', 'arrowright'];

export const pageActions: readonly PageAction[] = [
  {
    id: 'palette',
    label: 'palette',
    icon: 'search',
    keys: ['mod+k'],
    typing: true,
    run: always(() => openDialog({ name: 'palette' })),
  },
  { id: 'new', label: 'newTree', icon: 'plus', keys: ['n'], listed: true, run: always(openNewChat) },
  {
    id: 'sidebar',
    label: 'toggleSidebar',
    icon: 'panel',
    keys: ['mod+b'],
    typing: true,
    listed: true,
    run: always(() => foldSidebar(!useUi.getState().sidebarFolded)),
  },
  {
    id: 'new-temporary',
    label: 'newTemporary',
    icon: 'clock',
    keys: ['shift+n'],
    listed: true,
    run: always(() => void createTreeAndOpen({ temporary: true })),
  },
  {
    id: 'home',
    label: 'allTrees',
    icon: 'map',
    keys: ['g h'],
    listed: true,
    run: always(() => navigateTo(homeRoute())),
  },
  { id: 'thread', label: 'thread', icon: 'outline', keys: ['g t'], listed: true, run: screen('thread') },
  { id: 'map', label: 'map', icon: 'map', keys: ['g m'], listed: true, run: screen('map') },
  { id: 'context', label: 'whatModelSees', icon: 'layers', keys: ['g c'], listed: true, run: screen('context') },
  { id: 'history', label: 'history', icon: 'clock', keys: ['g y'], listed: true, run: screen('history') },
  {
    id: 'settings',
    label: 'settings',
    icon: 'gear',
    keys: ['g s'],
    listed: true,
    run: always(() => navigateTo({ name: 'settings' })),
  },
  {
    id: 'import',
    label: 'importMenu',
    icon: 'import',
    keys: ['g i'],
    listed: true,
    run: always(() => openDialog({ name: 'import' })),
  },
  {
    id: 'export',
    label: 'exportMenu',
    icon: 'export',
    keys: ['g e'],
    listed: true,
    run: onTree(({ treeId, state }) =>
      openDialog({
        name: 'export',
        about: { treeId, leaf: state.part?.leaf ?? null, marked: useUi.getState().current },
      }),
    ),
  },
  {
    id: 'export-all',
    label: 'exportAllMenu',
    icon: 'export',
    keys: [],
    listed: true,
    run: always(() => openDialog({ name: 'export', about: null })),
  },
  {
    id: 'trash',
    label: 'trash',
    icon: 'trash',
    keys: [],
    listed: true,
    run: always(() => navigateTo({ name: 'trash' })),
  },
  {
    id: 'up',
    label: 'messageBefore',
    icon: 'left',
    keys: ['arrowup', 'k'],
    run: onTree((session) => stepThread(session, -1)),
  },
  {
    id: 'down',
    label: 'messageAfter',
    icon: 'right',
    keys: ['arrowdown', 'j'],
    run: onTree((session) => stepThread(session, 1)),
  },
  {
    id: 'left',
    label: 'previousVariant',
    icon: 'left',
    keys: [previousKey],
    listed: true,
    run: onMessage((session, node) => variant(session, node, -1)),
  },
  {
    id: 'right',
    label: 'nextVariant',
    icon: 'right',
    keys: [nextKey],
    listed: true,
    run: onMessage((session, node) => variant(session, node, 1)),
  },
  {
    id: 'fork-before',
    label: 'forkBefore',
    icon: 'fork',
    keys: ['['],
    listed: true,
    run: onTree((session) => fork(session, -1)),
  },
  {
    id: 'fork-after',
    label: 'forkAfter',
    icon: 'fork',
    keys: [']'],
    listed: true,
    run: onTree((session) => fork(session, 1)),
  },
  ...messageActions.map(
    ({ id, label, icon, keys, unlisted = false, applies, run }): PageAction => ({
      id,
      label,
      icon,
      keys,
      listed: !unlisted,
      run: onMessage((session, node) => {
        if (applies?.(session, node) ?? true) run(session, node);
      }),
    }),
  ),
  {
    id: 'undo',
    label: 'undo',
    icon: 'undo',
    keys: ['mod+z'],
    listed: true,
    run: inTreeOrAnywhere(undoAct, undoAnywhere),
  },
  {
    id: 'redo',
    label: 'redo',
    icon: 'again',
    keys: ['shift+mod+z', 'mod+y'],
    listed: true,
    run: inTreeOrAnywhere(redoAct, redoAnywhere),
  },
  {
    id: 'prompt',
    label: 'systemPrompt',
    icon: 'edit',
    keys: [],
    listed: true,
    run: onTree(() => openDialog({ name: 'prompt' })),
  },
  {
    id: 'compact',
    label: 'compactNow',
    icon: 'layers',
    keys: [],
    listed: true,
    run: onTree(() => openDialog({ name: 'compact' })),
  },
  {
    id: 'panel',
    label: 'panel',
    icon: 'panel',
    keys: ['\\'],
    listed: true,
    run: onTree(() => showPanel(useUi.getState().panelShown ? null : useUi.getState().panel)),
  },
  {
    id: 'rename',
    label: 'rename',
    icon: 'edit',
    keys: [],
    run: onTree((session) => useUi.setState({ renaming: session.treeId })),
  },
  { id: 'pin', label: 'pinned', icon: 'pin', keys: [], run: onTree(togglePinned) },
  { id: 'copy-branch', label: 'copyOut', icon: 'copy', keys: [], run: onTree(duplicateShownBranch) },
  {
    id: 'delete-tree',
    label: 'deleteTree',
    icon: 'trash',
    danger: true,
    keys: [],
    run: onTree((session) => void moveChatToTrash(session)),
  },
  {
    id: 'tree-tags',
    label: 'treeTags',
    icon: 'tag',
    keys: [],
    run: onTree(() => openDialog({ name: 'tree-tags' })),
  },
  {
    id: 'tree-folder',
    label: 'treeFolder',
    icon: 'folder',
    keys: [],
    run: onTree(() => openDialog({ name: 'tree-folder' })),
  },
  {
    id: 'share-branch',
    label: 'shareBranch',
    icon: 'share',
    keys: [],
    run: onTree(({ state }) => {
      const leaf = state.part?.leaf ?? null;
      if (leaf !== null) openDialog({ name: 'share', nodeId: leaf });
    }),
  },
  { id: 'write', label: 'write', icon: 'edit', keys: ['/'], run: () => focusComposer() },
  {
    id: 'keys',
    label: 'keyboard',
    icon: 'outline',
    keys: ['?'],
    listed: true,
    run: always(() => openDialog({ name: 'keys' })),
  },
  { id: 'escape', label: 'close', icon: 'x', keys: ['escape'], typing: false, run: escape },
];

function focusComposer(): boolean {
  const composer = document.getElementById('composer') ?? document.getElementById('search');
  composer?.focus();
  return composer !== null;
}

/** Finds an action by its id. Throws for an unknown id. */
export function findPageAction(id: string): PageAction {
  const action = pageActions.find((each) => each.id === id);
  if (action === undefined) throw new Error(`There is no action ${id}.`);
  return action;
}
