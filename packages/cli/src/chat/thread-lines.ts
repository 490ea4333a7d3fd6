/** The thread as lines of the screen, with the node of each line. */
import type { Node, NodeId } from '@coppice/core';
import { printMessage, writerOf } from '../printing.ts';
import { oneLine } from '../terminal/strip-control-sequences.ts';
import type { Style } from '../terminal/style.ts';
import { widthOf } from '../terminal/width.ts';
import { wrapped } from '../terminal/wrap.ts';
import type { ChatSession } from './chat-session.ts';
import type { ChatState } from './chat-state.ts';
import { markdownLines } from './markdown.ts';

/** One line on the screen. */
export interface ScreenLine {
  readonly text: string;
  readonly nodeId: NodeId | null;
}

const firstHint =
  'Write and press Enter. / begins a command, @ adds a file, ! runs a shell command; Ctrl-X shows the keys.';

/** Caches the lines of finished messages: a key press must not lay out a long thread again. */
export class ThreadLines {
  readonly #known = new Map<string, readonly string[]>();
  #width = 0;

  /** The lines of a state. `focus` is the node that keys act on. */
  of(state: ChatState, width: number, style: Style, focus: NodeId | null): ScreenLine[] {
    if (width !== this.#width) this.#known.clear();
    this.#width = width;
    const lines: ScreenLine[] = [];
    const push = (text: string, nodeId: NodeId | null) => lines.push({ text, nodeId });
    if (state.more) push(style.quiet(oneLine('… more above; /tree shows all of it', width)), null);
    if (state.nodes.length === 0 && state.growing === null)
      for (const text of wrapped(firstHint, width)) push(style.quiet(text), null);
    for (const node of state.nodes) {
      if (node.id === state.growing?.nodeId) continue;
      push(messageHead(node, state, style, focus, width), node.id);
      for (const text of this.#body(node, width, style)) push(text, node.id);
      push('', node.id);
    }
    const { growing } = state;
    if (growing !== null) {
      push(style.strong(oneLine(state.model, Math.min(40, width))), growing.nodeId);
      for (const call of growing.calls) push(style.quiet(`▪ ${oneLine(call, width - 4)}`), growing.nodeId);
      const quiet =
        growing.text === '' && growing.thinking !== '' ? oneLine(growing.thinking.slice(-width * 2), width - 10) : '';
      if (quiet !== '') push(style.quiet(`thinking: ${quiet}`), growing.nodeId);
      for (const text of markdownLines(growing.text, width, style)) push(text, growing.nodeId);
      push(style.active('▌'), growing.nodeId);
    }
    for (const text of state.waiting) push(style.quiet(oneLine(`Waiting: ${text}`, width)), null);
    return lines;
  }

  #body(node: Node, width: number, style: Style): readonly string[] {
    const key = `${node.id} ${node.contentIn} ${node.status}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const made = bodyLines(node, width, style);
    this.#known.set(key, made);
    return made;
  }
}

function messageHead(node: Node, state: ChatState, style: Style, focus: NodeId | null, width: number): string {
  const [index = 0, total = 1] = state.places.get(node.id) ?? [];
  const place = total > 1 ? ` ‹ ${index + 1}/${total} ›` : '';
  const status = node.status === 'success' ? '' : `  ${node.status}`;
  const mark = node.id === focus ? '▶ ' : '';
  const writer = oneLine(writerOf(node), Math.min(40, Math.max(4, width - widthOf(mark + place + status))));
  return `${style.active(mark)}${style.strong(writer)}${style.active(place)}${style.warn(status)}`;
}

function bodyLines(node: Node, width: number, style: Style): readonly string[] {
  const text = printMessage(node);
  if (node.role === 'tool') {
    const lines = wrapped(oneLine(text, width * 3), width - 2);
    return lines.map((line) => style.quiet(`▪ ${line}`));
  }
  if (node.kind === 'compaction')
    return [
      ...wrapped(style.quiet('Above here the model gets a summary:'), width),
      ...markdownLines(text, width, style),
    ];
  return text === '' && node.status !== 'success'
    ? [style.warn('Nothing was said.')]
    : markdownLines(text, width, style);
}

/** The messages that were added in a chat, as lines for the screen that the user returns to. */
export function leftLines(
  { state, added }: Pick<ChatSession, 'state' | 'added'>,
  width: number,
  style: Style,
): string[] {
  return added.flatMap((node) => [messageHead(node, state, style, null, width), ...bodyLines(node, width, style), '']);
}
