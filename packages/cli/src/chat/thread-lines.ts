/** Lays out the thread as lines of the screen, with the node of each line. */
import { type Node, type NodeId, textOf } from '@coppice/core';
import { fieldsOrEmpty, getText } from '@coppice/core/decode';
import { authorNameOf, failureReasonOf, formatMessageText } from '../printing.ts';
import { stripControlSequences, toOneLine } from '../terminal/strip-control-sequences.ts';
import type { TextStyles } from '../terminal/style.ts';
import { widthOf } from '../terminal/width.ts';
import { wrapLines } from '../terminal/wrap.ts';
import type { ChatSession } from './chat-session.ts';
import type { ChatState } from './chat-state.ts';
import { GrowingMarkdown } from './growing-markdown.ts';
import { renderMarkdownLines } from './markdown.ts';

/** A line of the screen, and the message to which it belongs. */
export interface ScreenLine {
  readonly text: string;
  readonly nodeId: NodeId | null;
}

/** The hint above the input line of a chat without messages. */
export const newChatHint =
  'Write and press Enter. / begins a command, @ adds a file, ! runs a shell command; Ctrl-X shows the keys.';

/** Caches the lines of finished messages: a key press must not lay out a long thread again. */
export class ThreadLineCache {
  readonly #known = new Map<string, readonly string[]>();
  readonly #growing = new GrowingMarkdown();
  #width = 0;

  /** Returns the lines of the thread. `focus` is the message that the arrow keys have selected. */
  of(state: ChatState, width: number, style: TextStyles, focus: NodeId | null): ScreenLine[] {
    if (width !== this.#width) this.#known.clear();
    this.#width = width;
    const lines: ScreenLine[] = [];
    const push = (text: string, nodeId: NodeId | null) => lines.push({ text, nodeId });
    if (state.more) push(style.quiet(toOneLine('… more above; /tree shows all of it', width)), null);
    if (state.nodes.length === 0 && state.growing === null)
      for (const text of wrapLines(newChatHint, width)) push(style.quiet(text), null);
    for (const node of state.nodes) {
      if (node.id === state.growing?.nodeId) continue;
      push(formatMessageHeading(node, state, style, focus, width), node.id);
      for (const text of this.#body(node, width, style)) push(text, node.id);
      push('', node.id);
    }
    const { growing } = state;
    if (growing !== null) {
      push(renderReplyHeading(state, width, style), growing.nodeId);
      for (const call of growing.calls) push(style.quiet(`▪ ${toOneLine(call, width - 4)}`), growing.nodeId);
      const quiet =
        growing.text === '' && growing.thinking !== '' ? toOneLine(growing.thinking.slice(-width * 2), width - 10) : '';
      if (quiet !== '') push(style.quiet(`thinking: ${quiet}`), growing.nodeId);
      for (const text of this.#growing.render(growing.text, width, style)) push(text, growing.nodeId);
      push(style.active('▌'), growing.nodeId);
    }
    for (const text of state.waiting) push(style.quiet(toOneLine(`Waiting: ${text}`, width)), null);
    return lines;
  }

  #body(node: Node, width: number, style: TextStyles): readonly string[] {
    const key = `${node.id} ${node.contentIn} ${node.status}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const renderedBody = renderMessageBody(node, width, style);
    this.#known.set(key, renderedBody);
    return renderedBody;
  }
}

/** Returns the number of a message among its versions; empty if it has only one version. */
function formatVersionMark(index: number, total: number): string {
  return total > 1 ? ` ‹ ${index + 1}/${total} ›` : '';
}

/** Returns the heading of a message: its author, its number among the versions, and its status. */
export function formatMessageHeading(
  node: Node,
  state: ChatState,
  style: TextStyles,
  focus: NodeId | null,
  width: number,
): string {
  const [index = 0, total = 1] = state.places.get(node.id) ?? [];
  const place = formatVersionMark(index, total);
  const status = node.status === 'success' ? '' : `  ${node.status}`;
  const mark = node.id === focus ? '▶ ' : '';
  const writer = toOneLine(authorNameOf(node), Math.min(40, Math.max(4, width - widthOf(mark + place + status))));
  return `${style.active(mark)}${style.strong(writer)}${style.active(place)}${style.warn(status)}`;
}

/** Returns the heading of the running reply: the name of the model, and the number among the versions. */
export function renderReplyHeading({ growing, model, places }: ChatState, width: number, style: TextStyles): string {
  const [index = 0, total = 1] = (growing?.nodeId == null ? undefined : places.get(growing.nodeId)) ?? [];
  const name = model.slice(model.indexOf('/') + 1);
  return `${style.strong(toOneLine(name, Math.min(40, width)))}${style.active(formatVersionMark(index, total))}`;
}

/** Returns the text of a reply as its events deliver it, without thinking and tool calls. */
export function textOfReply(node: Node): string {
  return node.message === null ? '' : textOf(node.message);
}

/** Returns the thinking of a reply; empty if it has none. */
export function thinkingOfReply(node: Node): string {
  const blocks = node.message?.content ?? [];
  return blocks
    .flatMap((block) => (block.type === 'thinking' && 'thinking' in block ? [String(block.thinking)] : []))
    .join('\n\n');
}

/** Replaces the thinking by one line with its number of words, to keep the reply prominent; empty without thinking. */
export function renderThinking(thinking: string, width: number, style: TextStyles): string[] {
  const words = thinking.split(/\s+/).filter(Boolean).length;
  if (words === 0) return [];
  return [
    style.quiet(toOneLine(`▸ thought for ${words} ${words === 1 ? 'word' : 'words'}; /thinking shows them`, width)),
  ];
}

/** Returns the blocks of a message other than text and thinking, one line each. */
export function renderOtherBlocks(node: Node, width: number, style: TextStyles): string[] {
  return (node.message?.content ?? []).flatMap((block) => {
    if (block.type === 'text' || block.type === 'thinking') return [];
    const text =
      block.type === 'tool-use'
        ? `▪ ${'name' in block ? String(block.name) : 'a tool'} ${'parameters' in block ? JSON.stringify(block.parameters) : ''}`
        : `[${block.type}${'name' in block ? ` ${String(block.name)}` : ''}]`;
    return [style.quiet(toOneLine(text, width))];
  });
}

/** Returns the lines of a message without its heading. */
export function renderMessageBody(node: Node, width: number, style: TextStyles): readonly string[] {
  if (node.role === 'tool') {
    const lines = wrapLines(toOneLine(formatMessageText(node), width * 3), width - 2);
    return lines.map((line) => style.quiet(`▪ ${line}`));
  }
  const text = textOfReply(node);
  const rest = renderOtherBlocks(node, width, style);
  if (node.kind === 'compaction')
    return [
      ...wrapLines(style.quiet('Above here the model gets a summary:'), width),
      ...renderMarkdownLines(text, width, style),
    ];
  const failure = renderReplyFailure(node, width, style);
  if (text === '' && rest.length === 0 && node.status !== 'success')
    return failure.length > 0 ? failure : [style.warn('The message is empty.')];
  return [
    ...renderThinking(thinkingOfReply(node), width, style),
    ...renderMarkdownLines(text, width, style),
    ...rest,
    ...failure,
  ];
}

/** Returns what the user can do about a failed reply; null if there is nothing to suggest. */
function nextStepOf(node: Node): string | null {
  const provider = getText(node.meta.source ?? {}, 'provider');
  if (getText(fieldsOrEmpty(node.meta['error']), 'code') === 'provider/unauthorised' && provider !== undefined)
    return `Replace the key with coppice keys set ${provider}.`;
  return node.status === 'interrupted' && textOfReply(node) !== '' ? '/continue continues the reply.' : null;
}

/** Returns the lines that say why a reply failed and what to do; empty if it did not fail. */
export function renderReplyFailure(node: Node, width: number, style: TextStyles): string[] {
  const reason = failureReasonOf(node);
  if (reason === null) return [];
  const toLines = (text: string) => wrapLines(stripControlSequences(text), width);
  const nextStep = nextStepOf(node);
  return [
    ...toLines(reason).map((line) => style.bad(line)),
    ...(nextStep === null ? [] : toLines(nextStep).map((line) => style.quiet(line))),
  ];
}

/** Returns the lines of the messages that were added in a chat, to print after the full screen is closed. */
export function renderAddedMessages(
  { state, added }: Pick<ChatSession, 'state' | 'added'>,
  width: number,
  style: TextStyles,
): string[] {
  const { growing } = state;
  return added.flatMap((node) => [
    formatMessageHeading(node, state, style, null, width),
    // The store does not have the text of a running reply yet.
    ...(node.id === growing?.nodeId
      ? renderMarkdownLines(growing.text, width, style)
      : renderMessageBody(node, width, style)),
    '',
  ]);
}
