/** The state of the page besides the tree: the keyboard position, the edited message, the open panel. */
import type { TreeViewData } from '@coppice/client';
import type { Node, NodeId, TreeId } from '@coppice/core';
import { create } from 'zustand';
import type { TranslatedText } from '../i18n/translated-text.ts';
import type { ExportSubject } from '../transfer/export-dialog.tsx';
import { readLocalText, writeLocalText } from './local-storage.ts';

/** The content of the panel on the right. */
export type PanelName = 'map' | 'context' | 'history';

/** An open dialog with what it is about. At most one is open. */
export type OpenedDialog =
  | { readonly name: 'delete'; readonly node: Node }
  | { readonly name: 'share'; readonly nodeId: NodeId }
  | { readonly name: 'merge'; readonly nodeId: NodeId }
  | { readonly name: 'title'; readonly node: Node }
  | { readonly name: 'tags'; readonly node: Node }
  | { readonly name: 'bookmark'; readonly nodeId: NodeId; readonly title: string }
  | { readonly name: 'actions'; readonly node: Node }
  | { readonly name: 'split'; readonly node: Node }
  | { readonly name: 'move-to'; readonly node: Node }
  | { readonly name: 'tree-tags' }
  | { readonly name: 'tree-folder' }
  | { readonly name: 'prompt' }
  | { readonly name: 'project'; readonly project: string | null }
  | { readonly name: 'compact' }
  | {
      readonly name: 'listing';
      readonly words: TranslatedText;
      readonly lines: readonly string[];
      readonly list: readonly NodeId[];
    }
  | {
      readonly name: 'chats';
      readonly what: 'title' | 'tags' | 'folder';
      readonly chats: readonly TreeViewData[];
    }
  | { readonly name: 'fill-prompt'; readonly text: string; readonly onDone: (text: string) => void }
  | { readonly name: 'import' }
  | { readonly name: 'export'; readonly about: ExportSubject | null }
  | { readonly name: 'palette' }
  | { readonly name: 'keys' }
  | { readonly name: 'tour' };

interface Ui {
  /** The message that keys act on; null means the last one. */
  readonly current: NodeId | null;
  readonly editing: NodeId | null;
  readonly panel: PanelName;
  readonly panelShown: boolean;
  /** Whether the sidebar is open as a drawer, on a phone. */
  readonly drawer: boolean;
  readonly opened: OpenedDialog | null;
  /** The previewed code block: its message, and its index among the previewable ones. */
  readonly preview: { readonly nodeId: NodeId; readonly index: number } | null;
  /** The chat whose title is being changed in the bar. */
  readonly renaming: TreeId | null;
  /** Whether Compare shows the panel that combines answers. */
  readonly combining: boolean;
  /** The preset of the next chat, or of the open one, by its name. */
  readonly preset: string | null;
  /** Increases when a new chat is requested: its composer takes the focus. */
  readonly newChats: number;
  /** Whether the list of chats is folded to icons. */
  readonly sidebarFolded: boolean;
  /** When a variant was last replaced by another; messages that are rendered right after that fade in. */
  readonly switchedAt: number;
  readonly theme: 'system' | 'light' | 'dark';
}

function keptTheme(): Ui['theme'] {
  const kept = readLocalText('theme');
  return kept === 'light' || kept === 'dark' ? kept : 'system';
}

export const useUi = create<Ui>(() => ({
  current: null,
  editing: null,
  panel: 'map',
  panelShown: readLocalText('panel') !== 'off',
  drawer: false,
  opened: null,
  preview: null,
  renaming: null,
  combining: false,
  preset: null,
  newChats: 0,
  sidebarFolded: readLocalText('sidebar') === 'off',
  switchedAt: 0,
  theme: keptTheme(),
}));

/** Opens a dialog, or closes the open one. */
export function openDialog(opened: OpenedDialog | null): void {
  useUi.setState({ opened });
}

export function closePreview(): void {
  useUi.setState({ preview: null });
}

/** Folds the list of chats to icons, or unfolds it, and stores the choice. */
export function foldSidebar(folded: boolean): void {
  useUi.setState({ sidebarFolded: folded });
  writeLocalText('sidebar', folded ? 'off' : null);
}

/** Sets the theme, applies it and stores the choice. */
export function setTheme(theme: Ui['theme']): void {
  useUi.setState({ theme });
  writeLocalText('theme', theme === 'system' ? null : theme);
  applyTheme(theme);
}

/** Applies a theme to the document; `system` follows the operating system. */
export function applyTheme(theme: Ui['theme']): void {
  if (theme === 'system') document.documentElement.removeAttribute('data-theme');
  else document.documentElement.dataset.theme = theme;
}

/** Shows or hides the panel, and stores the choice. */
export function showPanel(panel: PanelName | null): void {
  useUi.setState(panel === null ? { panelShown: false } : { panel, panelShown: true });
  writeLocalText('panel', panel === null ? 'off' : null);
}
