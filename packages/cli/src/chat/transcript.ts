/**
 * Prints a chat as ordinary text of the terminal: each message once, below the earlier output, and never changed. When
 * the chat moves to another branch, a line says so, and the messages of that branch follow.
 */
import type { Node, NodeId, TreeId } from '@coppice/core';
import { authorNameOf } from '../printing.ts';
import { stripControlSequences, toOneLine } from '../terminal/strip-control-sequences.ts';
import type { TextStyles } from '../terminal/style.ts';
import { wrapLines } from '../terminal/wrap.ts';
import type { ChatState } from './chat-state.ts';
import { GrowingMarkdown } from './growing-markdown.ts';
import { measureFinishedMarkdown, renderMarkdownLines } from './markdown.ts';
import {
  formatMessageHeading,
  newChatHint,
  renderMessageBody,
  renderOtherBlocks,
  renderReplyFailure,
  renderReplyHeading,
  renderThinking,
  textOfReply,
  thinkingOfReply,
} from './thread-lines.ts';

/** Only the last messages of a longer branch are printed, because the terminal's scrollback is limited. */
const printedAtMost = 20;

// A shorter block is measured at each change.
const longBlock = 2_000;

/** A message that was printed. After an edit in place it counts as another message. */
interface PrintedMessage {
  readonly nodeId: NodeId;
  readonly contentIn: number;
}

export class Transcript {
  /** The printed branch from its beginning. */
  #branch: readonly PrintedMessage[] = [];
  #treeId: TreeId | null | undefined;
  /** The part of the running reply that is printed, and whether it includes the line about the thinking. */
  #reply: { readonly nodeId: NodeId; readonly text: string; readonly hasThinking: boolean } | null = null;
  readonly #pending = new GrowingMarkdown();
  /** The length of the running reply when its finished blocks were last measured. */
  #measured = 0;

  /** Returns the lines to print because of the changes since the last call. */
  take(state: ChatState, width: number, style: TextStyles): string[] {
    const lines = this.#begin(state, width, style);
    const nodes = finishedNodes(state);
    const at = nodes.findLastIndex((node) => this.#has(node));
    const last = this.#branch.at(-1);
    const common = nodes[at];
    // A reply that is continued is printed again when it has ended, and so is a message that is edited in place.
    const isLast = ({ id }: Node) => id === last?.nodeId;
    if (state.nodes.some(isLast) && !nodes.some(isLast)) return lines;
    const isMoved = last !== undefined && last.nodeId !== common?.id && last.nodeId !== nodes[at + 1]?.id;
    const added = nodes.slice(at + 1);
    if (isMoved) lines.push(...movedLines(common, added.length > 0, width, style));
    this.#branch = [...this.#branch.slice(0, this.#indexOf(common) + 1), ...added.map(printedMessage)];
    const hidden = Math.max(0, added.length - printedAtMost);
    if (hidden > 0) {
      const count = `${hidden}${state.more ? '+' : ''}`;
      lines.push(style.quiet(toOneLine(`… ${count} earlier messages; /tree shows them`, width)), '');
    }
    for (const node of added.slice(hidden)) lines.push(...this.#finished(node, state, width, style), '');
    lines.push(...this.#growing(state, width, style));
    return lines;
  }

  /** Returns the lines of the running reply that are not printed yet, because further text may change them. */
  pending(state: ChatState, width: number, style: TextStyles): string[] {
    const { growing } = state;
    if (growing === null || hasEnded(state)) return [];
    const printed = this.#reply?.nodeId === growing.nodeId ? this.#reply.text.length : 0;
    const lines = printed > 0 ? [] : [renderReplyHeading(state, width, style)];
    for (const call of growing.calls) lines.push(style.quiet(`▪ ${toOneLine(call, width - 4)}`));
    if (growing.text === '' && growing.thinking !== '')
      lines.push(style.quiet(toOneLine(`thinking: ${growing.thinking.slice(-width * 2)}`, width)));
    lines.push(...this.#pending.render(stripControlSequences(growing.text).slice(printed), width, style));
    return lines;
  }

  /**
   * Prints the heading of a chat once. The first message of a new chat creates its tree, which must not print a second
   * heading.
   */
  #begin({ treeId, opened, title, model, nodes, growing }: ChatState, width: number, style: TextStyles): string[] {
    const before = this.#treeId;
    this.#treeId = treeId;
    const isCreated = before === null && this.#branch.length === 0 && opened !== treeId;
    if (before === treeId || isCreated) return [];
    this.#branch = [];
    this.#reply = null;
    const hint =
      nodes.length > 0 || growing !== null ? [] : wrapLines(newChatHint, width).map((line) => style.quiet(line));
    const name = style.strong(toOneLine(title ?? 'New chat', width - 2));
    return [`${style.active('❧')} ${name}`, style.quiet(toOneLine(model, width)), ...hint, ''];
  }

  #has(node: Node): boolean {
    return this.#branch.some(({ nodeId, contentIn }) => nodeId === node.id && contentIn === node.contentIn);
  }

  #indexOf(node: Node | undefined): number {
    return node === undefined ? -1 : this.#branch.findIndex(({ nodeId }) => nodeId === node.id);
  }

  #finished(node: Node, state: ChatState, width: number, style: TextStyles): string[] {
    const reply = this.#reply?.nodeId === node.id ? this.#reply : null;
    if (reply !== null) this.#reply = null;
    const text = stripControlSequences(textOfReply(node));
    // The reply does not begin with the printed text, for example after a retry, so it is printed again as a whole.
    if (reply === null || reply.text === '' || !text.startsWith(reply.text))
      return [formatMessageHeading(node, state, style, null, width), ...renderMessageBody(node, width, style)];
    const lines = [
      ...(reply.hasThinking ? [] : renderThinking(thinkingOfReply(node), width, style)),
      ...renderMarkdownLines(text.slice(reply.text.length), width, style),
      ...renderOtherBlocks(node, width, style),
    ];
    return node.status === 'success'
      ? lines
      : [...lines, style.warn(node.status), ...renderReplyFailure(node, width, style)];
  }

  /** Prints the finished blocks of the running reply. */
  #growing(state: ChatState, width: number, style: TextStyles): string[] {
    const { growing } = state;
    if (growing === null || growing.nodeId === null || hasEnded(state)) return [];
    const { nodeId } = growing;
    const text = stripControlSequences(growing.text);
    const printed = this.#reply?.nodeId === nodeId && text.startsWith(this.#reply.text) ? this.#reply.text : '';
    // The time of measuring grows with the text, so a long block is measured again only after it has grown by 2 %.
    const grown = text.length - this.#measured;
    if (grown >= 0 && grown < (text.length - printed.length - longBlock) / 50) return [];
    this.#measured = text.length;
    const length = measureFinishedMarkdown(text.slice(printed.length));
    if (length === 0) return [];
    const block = text.slice(printed.length, printed.length + length);
    const thought =
      this.#reply?.hasThinking === true && printed !== '' ? [] : renderThinking(growing.thinking, width, style);
    this.#reply = { nodeId, text: printed + block, hasThinking: growing.thinking !== '' };
    const head = printed === '' ? [renderReplyHeading(state, width, style)] : [];
    return [...head, ...thought, ...renderMarkdownLines(block, width, style), ''];
  }
}

/**
 * Returns the messages of the thread that no longer change, up to the first that does. A reply with a tool result
 * below it is finished, even before the next reply begins.
 */
function finishedNodes({ nodes, growing }: ChatState): readonly Node[] {
  const end = nodes.findIndex(
    ({ id, status }, at) => status === 'pending' || (id === growing?.nodeId && at === nodes.length - 1),
  );
  return end === -1 ? nodes : nodes.slice(0, end);
}

/** Whether the running reply is among the finished messages, because the next one has not begun yet. */
function hasEnded(state: ChatState): boolean {
  return finishedNodes(state).some(({ id }) => id === state.growing?.nodeId);
}

function printedMessage({ id, contentIn }: Node): PrintedMessage {
  return { nodeId: id, contentIn };
}

function movedLines(common: Node | undefined, isFork: boolean, width: number, style: TextStyles): string[] {
  const where =
    common === undefined
      ? 'the beginning'
      : `${authorNameOf(common)}: ${common.text.trim() === '' ? '…' : toOneLine(common.text, width)}`;
  const text = isFork ? `Another branch, after ${where}` : `Back at ${where}`;
  return [style.active(toOneLine(`⑂ ${text}`, width)), ''];
}
