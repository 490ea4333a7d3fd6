/** What is laid over the thread: the tree, the models, and longer answers of commands. Each is a value, a view, and keys. */
import type { NodeId } from '@coppice/core';
import type { OutlineEntry } from '@coppice/engine';
import { type Key, Text } from 'ink';
import { indented } from '../printing.ts';
import { oneLine, stripControlSequences } from '../terminal/strip-control-sequences.ts';
import type { Style } from '../terminal/style.ts';
import { widthOf, withoutLast } from '../terminal/width.ts';
import { cutLine, wrapped } from '../terminal/wrap.ts';
import { filterBy, fold, moveBy, type Picker, pickedNode, searchFor } from './tree-picker.ts';

/** A model to choose. */
export interface ModelChoiceLine {
  readonly id: string;
  readonly label: string;
  readonly ready: boolean;
}

/** What lies over the thread. */
export type ChatPanel =
  | { readonly type: 'tree'; readonly picker: Picker }
  | {
      readonly type: 'models';
      readonly choices: readonly ModelChoiceLine[];
      readonly search: string;
      readonly at: number;
    }
  | { readonly type: 'text'; readonly title: string; readonly text: string; readonly top: number };

/** What a key did: another state of the panel, a choice, or the end of it. */
export type PanelMove =
  | { readonly panel: ChatPanel }
  | { readonly node: NodeId }
  | { readonly model: string }
  | { readonly closed: true }
  /** The panel closes, and the key does what it does without one. */
  | { readonly passes: true };

const closed: PanelMove = { closed: true };
const passes: PanelMove = { passes: true };

/** What a key does to a panel of so many lines and columns. */
export function panelKey(panel: ChatPanel, input: string, key: Key, size: PanelSize): PanelMove {
  if (key.ctrl && input === 'c') return closed;
  switch (panel.type) {
    case 'tree':
      return treeKey(panel.picker, input, key, size.height);
    case 'models':
      return modelKey(panel, input, key);
    case 'text':
      return textKey(panel, input, key, size);
  }
}

/** The room that a panel has. */
export interface PanelSize {
  readonly width: number;
  readonly height: number;
}

function typed(input: string, key: Key): string {
  return key.ctrl || key.meta ? '' : stripControlSequences(input);
}

/** Typing searches, Tab filters, ← and → fold, Enter goes there; a slash begins a command, which no message is found by. */
function treeKey(picker: Picker, input: string, key: Key, height: number): PanelMove {
  const to = (next: Picker): PanelMove => ({ panel: { type: 'tree', picker: next } });
  if (key.escape) return picker.search === '' ? closed : to(searchFor(picker, ''));
  if (key.return) {
    const node = pickedNode(picker);
    return node === null ? closed : { node };
  }
  if (key.upArrow) return to(moveBy(picker, -1));
  if (key.downArrow) return to(moveBy(picker, 1));
  if (key.pageUp) return to(moveBy(picker, 2 - height));
  if (key.pageDown) return to(moveBy(picker, height - 2));
  if (key.tab) return to(filterBy(picker));
  if (key.leftArrow || key.rightArrow) return to(fold(picker));
  if (picker.search === '' && input.startsWith('/')) return passes;
  if (key.backspace) return to(searchFor(picker, withoutLast(picker.search)));
  return to(searchFor(picker, picker.search + typed(input, key)));
}

/** What is pasted is looked for; null where a panel looks for nothing. */
export function panelPaste(panel: ChatPanel, pasted: string): ChatPanel | null {
  const text = oneLine(pasted, longestSearch);
  if (panel.type === 'tree') return { ...panel, picker: searchFor(panel.picker, panel.picker.search + text) };
  return panel.type === 'models' ? { ...panel, search: panel.search + text, at: 0 } : null;
}

// No line shows more, and nobody looks for a page.
const longestSearch = 200;

type ModelPanel = Extract<ChatPanel, { type: 'models' }>;

function foundModels({ choices, search }: ModelPanel): readonly ModelChoiceLine[] {
  const wanted = search.toLowerCase();
  return choices.filter(({ id, label }) => `${id} ${label}`.toLowerCase().includes(wanted));
}

function modelKey(panel: ModelPanel, input: string, key: Key): PanelMove {
  const found = foundModels(panel);
  const at = Math.min(panel.at, Math.max(0, found.length - 1));
  if (key.escape) return closed;
  if (key.return) {
    const chosen = found[at];
    return chosen === undefined ? { panel } : { model: chosen.id };
  }
  if (key.upArrow) return { panel: { ...panel, at: Math.max(0, at - 1) } };
  if (key.downArrow) return { panel: { ...panel, at: at + 1 } };
  if (panel.search === '' && input.startsWith('/')) return passes;
  if (key.backspace) return { panel: { ...panel, search: withoutLast(panel.search), at: 0 } };
  return { panel: { ...panel, search: panel.search + typed(input, key), at: 0 } };
}

type LongText = Extract<ChatPanel, { type: 'text' }>;

function textKey(panel: LongText, input: string, key: Key, { width, height }: PanelSize): PanelMove {
  if (key.escape || key.return) return closed;
  // Nothing in it takes text, so whoever types has gone on.
  const scrolls = key.upArrow || key.downArrow || key.pageUp || key.pageDown;
  if (!scrolls && (input !== '' || key.tab)) return passes;
  const last = Math.max(0, wrapped(stripControlSequences(panel.text), width).length - height + 1);
  const by = key.upArrow ? -1 : key.downArrow ? 1 : key.pageUp ? 2 - height : key.pageDown ? height - 2 : 0;
  return { panel: { ...panel, top: Math.min(last, Math.max(0, panel.top + by)) } };
}

/** A panel as it looks. */
export function PanelView({
  panel,
  style,
  width,
  height,
}: { readonly panel: ChatPanel; readonly style: Style } & PanelSize) {
  const [head, ...lines] = panelLines(panel, style, width, Math.max(1, height - 1));
  return (
    <>
      <Text wrap="truncate">{style.quiet(head ?? '')}</Text>
      <Text wrap="truncate">{lines.join('\n')}</Text>
    </>
  );
}

/** The lines of a panel, its head first; none is wider than the screen, or all below it would go with its end. */
export function panelLines(panel: ChatPanel, style: Style, width: number, space: number): string[] {
  return panelLinesOf(panel, style, width, space).map((line) => cutLine(line, width));
}

function panelLinesOf(panel: ChatPanel, style: Style, width: number, space: number): string[] {
  if (panel.type === 'text') {
    const lines = wrapped(stripControlSequences(panel.text), width);
    return [
      `${oneLine(panel.title, width - 20)} · ↑↓ scroll · Esc closes`,
      ...lines.slice(panel.top, panel.top + space),
    ];
  }
  if (panel.type === 'models') {
    const found = foundModels(panel);
    const at = Math.min(panel.at, Math.max(0, found.length - 1));
    const [from, shown] = around(found, at, space);
    const search = panel.search === '' ? 'type to search' : `search: ${panel.search}`;
    return [
      `${found.length} ${found.length === 1 ? 'model' : 'models'} · ${search} · Enter selects · Esc closes`,
      ...shown.map(({ id, ready }, index) => {
        const mark = from + index === at ? style.active('▶ ') : '  ';
        const lack = ready ? '' : '  needs a key';
        return `${mark}${oneLine(id, Math.max(8, width - 2 - lack.length))}${lack === '' ? '' : style.quiet(lack)}`;
      }),
    ];
  }
  const { picker } = panel;
  const [from, shown] = around(picker.entries, picker.at, space);
  const search = picker.search === '' ? 'type to search' : `search: ${picker.search}`;
  return [
    `${picker.entries.length} shown · ${search} · ${picker.filter} (Tab) · ←→ fold · Enter opens · Esc closes`,
    ...shown.map((entry, at) => entryLine(entry, picker, from + at === picker.at, style, width)),
  ];
}

/** The part of a list around the cursor that there is room for, and where it begins. */
function around<T>(list: readonly T[], at: number, space: number): readonly [number, readonly T[]] {
  const from = Math.max(0, Math.min(at - Math.floor(space / 2), list.length - space));
  return [from, list.slice(from, from + space)];
}

function entryLine(entry: OutlineEntry, picker: Picker, isAt: boolean, style: Style, width: number): string {
  const indent = indented('  '.repeat(Math.max(0, entry.depth - (entry.forked ? 1 : 0))), width - 30);
  const stem = entry.forked ? (entry.last ? '└─' : '├─') : '';
  const more = picker.folded.has(entry.nodeId) ? ' ⊞' : entry.folded > 0 ? ` ⋮${entry.folded}` : '';
  const label = entry.label === null ? '' : ` [${oneLine(entry.label, 20)}]`;
  const here = entry.current ? '  ← here' : '';
  const mark = isAt ? '▶ ' : '  ';
  const taken = widthOf(mark + indent + stem + label + more + here) + 2;
  const text = oneLine(entry.preview, Math.max(10, width - taken));
  const body = `${entry.role === 'user' ? '●' : '○'} ${text}${label}${more}${here}`;
  return `${isAt ? style.active(mark) : mark}${style.quiet(indent + stem)}${entry.onPath ? style.active(body) : body}`;
}
