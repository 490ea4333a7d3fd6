/**
 * Panels over the thread: the tree, past chats, the models, and long results of commands. Each has a state, a view and
 * keys.
 */
import type { NodeId, TreeId } from '@coppice/core';
import type { OutlineEntry } from '@coppice/engine';
import { type Key, Text } from 'ink';
import { authorNameOf, formatLocalTime, titleOrUntitled, truncateIndentation } from '../printing.ts';
import { stripControlSequences, toOneLine } from '../terminal/strip-control-sequences.ts';
import type { TextStyles } from '../terminal/style.ts';
import { removeLastGrapheme, widthOf } from '../terminal/width.ts';
import { truncateColoredLine, wrapLines } from '../terminal/wrap.ts';
import { type ChatPicker, findChatAtCursor, moveChatPickerCursor } from './chat-picker.ts';
import { textOfReply } from './thread-lines.ts';
import {
  cycleTreePickerFilter,
  findNodeAtCursor,
  moveTreePickerCursor,
  setTreePickerSearch,
  type TreePicker,
  toggleTreePickerFold,
} from './tree-picker.ts';

/** A model in the list of models. */
export interface ModelChoiceLine {
  readonly id: string;
  readonly label: string;
  readonly ready: boolean;
}

/** The panel that is open over the thread, with its state. */
export type ChatPanel =
  | { readonly type: 'tree'; readonly picker: TreePicker }
  | { readonly type: 'chats'; readonly chats: ChatPicker }
  | {
      readonly type: 'models';
      readonly choices: readonly ModelChoiceLine[];
      readonly search: string;
      readonly at: number;
    }
  | { readonly type: 'text'; readonly title: string; readonly text: string; readonly top: number };

/** What a key in a panel does: a new state, a choice, or closing the panel. */
export type PanelKeyResult =
  | { readonly panel: ChatPanel }
  | { readonly node: NodeId }
  | { readonly model: string }
  | { readonly chat: TreeId }
  | { readonly closed: true }
  /** The panel closes, and the key is handled as if no panel were open. */
  | { readonly passes: true };

const closed: PanelKeyResult = { closed: true };
const passes: PanelKeyResult = { passes: true };

/** Handles a key in a panel of the given size. */
export function handlePanelKey(panel: ChatPanel, input: string, key: Key, size: PanelSize): PanelKeyResult {
  if (key.ctrl && input === 'c') return closed;
  switch (panel.type) {
    case 'tree':
      return treeKey(panel.picker, input, key, size.height);
    case 'chats':
      return chatKey(panel.chats, input, key, size.height);
    case 'models':
      return modelKey(panel, input, key, size.height);
    case 'text':
      return textKey(panel, input, key, size);
  }
}

export interface PanelSize {
  readonly width: number;
  readonly height: number;
}

function typedText(input: string, key: Key): string {
  return key.ctrl || key.meta ? '' : stripControlSequences(input);
}

/** Handles a key in the tree: typing searches, Tab filters, ← and → fold, Enter selects, a slash starts a command. */
function treeKey(picker: TreePicker, input: string, key: Key, height: number): PanelKeyResult {
  const to = (next: TreePicker): PanelKeyResult => ({ panel: { type: 'tree', picker: next } });
  if (key.escape) return picker.search === '' ? closed : to(setTreePickerSearch(picker, ''));
  if (key.return) {
    const node = findNodeAtCursor(picker);
    return node === null ? closed : { node };
  }
  if (key.upArrow) return to(moveTreePickerCursor(picker, -1));
  if (key.downArrow) return to(moveTreePickerCursor(picker, 1));
  if (key.pageUp) return to(moveTreePickerCursor(picker, 2 - height));
  if (key.pageDown) return to(moveTreePickerCursor(picker, height - 2));
  if (key.tab) return to(cycleTreePickerFilter(picker));
  if (key.leftArrow || key.rightArrow) return to(toggleTreePickerFold(picker));
  if (picker.search === '' && input.startsWith('/')) return passes;
  if (key.backspace) return to(setTreePickerSearch(picker, removeLastGrapheme(picker.search)));
  return to(setTreePickerSearch(picker, picker.search + typedText(input, key)));
}

function chatKey(picker: ChatPicker, input: string, key: Key, height: number): PanelKeyResult {
  const to = (chats: ChatPicker): PanelKeyResult => ({ panel: { type: 'chats', chats } });
  const searching = (search: string) => to({ ...picker, search });
  if (key.escape) return picker.search === '' ? closed : searching('');
  if (key.return) {
    const chat = findChatAtCursor(picker);
    return chat === null ? to(picker) : { chat: chat.id };
  }
  if (key.upArrow) return to(moveChatPickerCursor(picker, -1));
  if (key.downArrow) return to(moveChatPickerCursor(picker, 1));
  if (key.pageUp) return to(moveChatPickerCursor(picker, 2 - height));
  if (key.pageDown) return to(moveChatPickerCursor(picker, height - 2));
  if (picker.search === '' && input.startsWith('/')) return passes;
  if (key.backspace) return searching(removeLastGrapheme(picker.search));
  const more = typedText(input, key);
  return more === '' ? to(picker) : searching(picker.search + more);
}

/** Uses pasted text as the search; null if the panel has no search. */
export function handlePanelPaste(panel: ChatPanel, pasted: string): ChatPanel | null {
  const text = toOneLine(pasted, longestSearch);
  if (panel.type === 'tree') return { ...panel, picker: setTreePickerSearch(panel.picker, panel.picker.search + text) };
  if (panel.type === 'chats') return { ...panel, chats: { ...panel.chats, search: panel.chats.search + text } };
  return panel.type === 'models' ? { ...panel, search: panel.search + text, at: 0 } : null;
}

// A panel cannot show a longer search, and users do not search for a whole page.
const longestSearch = 200;

type ModelPanel = Extract<ChatPanel, { type: 'models' }>;

function foundModels({ choices, search }: ModelPanel): readonly ModelChoiceLine[] {
  const words = search.toLowerCase().split(/\s+/);
  return choices.filter(({ id, label }) => {
    const text = `${id} ${label}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Returns the panel with other models. The cursor stays on its model if that one is still listed. */
export function replaceModelChoices(panel: ModelPanel, choices: readonly ModelChoiceLine[]): ModelPanel {
  const before = foundModels(panel)[panel.at]?.id;
  const next = { ...panel, choices };
  const at = foundModels(next).findIndex(({ id }) => id === before);
  return { ...next, at: at === -1 ? panel.at : at };
}

function modelKey(panel: ModelPanel, input: string, key: Key, height: number): PanelKeyResult {
  const found = foundModels(panel);
  const at = Math.min(panel.at, Math.max(0, found.length - 1));
  if (key.escape) return closed;
  if (key.return) {
    const chosen = found[at];
    return chosen === undefined ? { panel } : { model: chosen.id };
  }
  const to = (line: number): PanelKeyResult => ({
    panel: { ...panel, at: Math.max(0, Math.min(found.length - 1, line)) },
  });
  if (key.upArrow) return to(at - 1);
  if (key.downArrow) return to(at + 1);
  if (key.pageUp) return to(at + 2 - height);
  if (key.pageDown) return to(at + height - 2);
  if (panel.search === '' && input.startsWith('/')) return passes;
  if (key.backspace) return { panel: { ...panel, search: removeLastGrapheme(panel.search), at: 0 } };
  return { panel: { ...panel, search: panel.search + typedText(input, key), at: 0 } };
}

type LongText = Extract<ChatPanel, { type: 'text' }>;

function textKey(panel: LongText, input: string, key: Key, { width, height }: PanelSize): PanelKeyResult {
  if (key.escape || key.return) return closed;
  // This panel has no input, so typing closes it.
  const scrolls = key.upArrow || key.downArrow || key.pageUp || key.pageDown;
  if (!scrolls && (input !== '' || key.tab)) return passes;
  const last = Math.max(0, wrapLines(stripControlSequences(panel.text), width).length - height + 1);
  const by = key.upArrow ? -1 : key.downArrow ? 1 : key.pageUp ? 2 - height : key.pageDown ? height - 2 : 0;
  return { panel: { ...panel, top: Math.min(last, Math.max(0, panel.top + by)) } };
}

/** Draws the lines of a panel, the first of which is its heading. */
export function PanelView({
  lines: [head, ...lines],
  style,
}: {
  readonly lines: readonly string[];
  readonly style: TextStyles;
}) {
  return (
    <>
      <Text wrap="truncate">{style.quiet(head ?? '')}</Text>
      {lines.length > 0 && <Text wrap="truncate">{lines.map((line) => (line === '' ? ' ' : line)).join('\n')}</Text>}
    </>
  );
}

/**
 * Returns the lines of a panel with its heading; each is cut to the width, because a wrapped line would shift all lines
 * below.
 */
export function renderPanelLines(panel: ChatPanel, style: TextStyles, width: number, space: number): string[] {
  return panelLinesOf(panel, style, width, Math.max(1, space)).map((line) => truncateColoredLine(line, width));
}

function panelLinesOf(panel: ChatPanel, style: TextStyles, width: number, space: number): string[] {
  if (panel.type === 'text') {
    const lines = wrapLines(stripControlSequences(panel.text), width);
    return [
      `${toOneLine(panel.title, width - 20)} · ↑↓ scroll · Esc closes`,
      ...lines.slice(panel.top, panel.top + space),
    ];
  }
  if (panel.type === 'models') {
    const found = foundModels(panel);
    const at = Math.min(panel.at, Math.max(0, found.length - 1));
    const [from, shown] = windowAround(found, at, space);
    const search = panel.search === '' ? 'type to search' : `search: ${panel.search}`;
    return [
      `${found.length} ${found.length === 1 ? 'model' : 'models'} · ${search} · Enter selects · Esc closes`,
      ...shown.map(({ id, ready }, index) => {
        const mark = from + index === at ? style.active('▶ ') : '  ';
        const lack = ready ? '' : '  needs a key';
        return `${mark}${toOneLine(id, Math.max(8, width - 2 - lack.length))}${lack === '' ? '' : style.quiet(lack)}`;
      }),
    ];
  }
  if (panel.type === 'chats') return chatLines(panel.chats, style, width, space);
  const { picker } = panel;
  const [from, shown] = windowAround(picker.entries, picker.at, space);
  const search = picker.search === '' ? 'type to search' : `search: ${picker.search}`;
  return [
    `${picker.entries.length} shown · ${search} · ${picker.filter} (Tab) · ←→ fold · Enter opens · Esc closes`,
    ...shown.map((entry, at) => entryLine(entry, picker, from + at === picker.at, style, width)),
  ];
}

// On a lower screen the preview would leave too few lines for the chats.
const leastForPreview = 10;

function chatLines(picker: ChatPicker, style: TextStyles, width: number, space: number): string[] {
  const preview = space < leastForPreview ? [] : previewLines(picker, style, width);
  const [from, shown] = windowAround(picker.chats, picker.at, space - preview.length);
  const search = picker.search === '' ? 'type to search' : `search: ${picker.search}`;
  const count = `${picker.chats.length} ${picker.chats.length === 1 ? 'chat' : 'chats'}`;
  const list = shown.map((row, index) => {
    const isAt = from + index === picker.at;
    const time = width < 50 ? '' : `${formatLocalTime(row.updatedAt)}  `;
    const title = toOneLine(titleOrUntitled(row), Math.max(8, width - 2 - time.length));
    return `${isAt ? style.active('▶ ') : '  '}${style.quiet(time)}${isAt ? style.active(title) : title}`;
  });
  const none = picker.chats.length === 0 ? [style.quiet('No chat matches.')] : [];
  return [`${count} · ${search} · Enter opens · Esc closes`, ...list, ...none, ...preview];
}

function previewLines(picker: ChatPicker, style: TextStyles, width: number): string[] {
  const { preview } = picker;
  if (preview === null || preview.treeId !== findChatAtCursor(picker)?.id) return [];
  return [
    style.quiet('─'.repeat(width)),
    ...preview.nodes.map((node) => {
      const writer = toOneLine(authorNameOf(node), 16);
      // Thinking is part of the stored text, but not of the reply that the user remembers.
      const text = textOfReply(node) || node.text;
      return `${style.strong(writer)}: ${toOneLine(text, Math.max(8, width - widthOf(writer) - 2))}`;
    }),
  ];
}

/** Returns the part of a list around the cursor that fits on the screen, and the index of its first line. */
function windowAround<T>(list: readonly T[], at: number, space: number): readonly [number, readonly T[]] {
  const from = Math.max(0, Math.min(at - Math.floor(space / 2), list.length - space));
  return [from, list.slice(from, from + space)];
}

function entryLine(entry: OutlineEntry, picker: TreePicker, isAt: boolean, style: TextStyles, width: number): string {
  const indent = truncateIndentation('  '.repeat(Math.max(0, entry.depth - (entry.forked ? 1 : 0))), width - 30);
  const stem = entry.forked ? (entry.last ? '└─' : '├─') : '';
  const more = picker.folded.has(entry.nodeId) ? ' ⊞' : entry.folded > 0 ? ` ⋮${entry.folded}` : '';
  const label = entry.label === null ? '' : ` [${toOneLine(entry.label, 20)}]`;
  const here = entry.current ? '  ← here' : '';
  const mark = isAt ? '▶ ' : '  ';
  const taken = widthOf(mark + indent + stem + label + more + here) + 2;
  const text = toOneLine(entry.preview, Math.max(10, width - taken));
  const body = `${entry.role === 'user' ? '●' : '○'} ${text}${label}${more}${here}`;
  return `${isAt ? style.active(mark) : mark}${style.quiet(indent + stem)}${entry.onPath ? style.active(body) : body}`;
}
