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
import { measureFinishedBlocks, renderMarkdownLines } from './markdown.ts';
import {
  formatMessageHeading,
  formatVersionMark,
  newChatHint,
  renderMessageBody,
  renderOtherBlocks,
  textOfReply,
} from './thread-lines.ts';

/** Only the last messages of a longer branch are printed, because the terminal's scrollback is limited. */
const printedAtMost = 20;

/** A message that was printed. After an edit in place it counts as another message. */
interface PrintedMessage {
  readonly nodeId: NodeId;
  readonly contentIn: number;
}

export class Transcript {
  /** The printed branch from its beginning. */
  #branch: readonly PrintedMessage[] = [];
  #treeId: TreeId | null | undefined;
  /** The part of the running reply that is printed. */
  #reply: { readonly nodeId: NodeId; readonly text: string } | null = null;

  /** Returns the lines to print because of the changes since the last call. */
  take(state: ChatState, width: number, style: TextStyles): string[] {
    const lines = this.#begin(state, width, style);
    const nodes = finishedNodes(state);
    const at = nodes.findLastIndex((node) => this.#has(node));
    const last = this.#branch.at(-1);
    const common = nodes[at];
    const isMoved = last !== undefined && last.nodeId !== common?.id;
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
    if (growing === null) return [];
    const printed = this.#reply?.nodeId === growing.nodeId ? this.#reply.text.length : 0;
    const lines = printed > 0 ? [] : [replyHead(state, width, style)];
    for (const call of growing.calls) lines.push(style.quiet(`▪ ${toOneLine(call, width - 4)}`));
    if (growing.text === '' && growing.thinking !== '')
      lines.push(style.quiet(toOneLine(`thinking: ${growing.thinking.slice(-width * 2)}`, width)));
    lines.push(...renderMarkdownLines(stripControlSequences(growing.text).slice(printed), width, style));
    return lines;
  }

  /**
   * Prints the heading of a chat once. The first message of a new chat creates its tree, which must not print a second
   * heading.
   */
  #begin({ treeId, title, model, nodes, growing }: ChatState, width: number, style: TextStyles): string[] {
    const before = this.#treeId;
    this.#treeId = treeId;
    if (before === treeId || (before === null && this.#branch.length === 0)) return [];
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
      ...renderMarkdownLines(text.slice(reply.text.length), width, style),
      ...renderOtherBlocks(node, width, style),
    ];
    return node.status === 'success' ? lines : [...lines, style.warn(node.status)];
  }

  /** Prints the finished blocks of the running reply. */
  #growing(state: ChatState, width: number, style: TextStyles): string[] {
    const { growing } = state;
    if (growing === null || growing.nodeId === null) return [];
    const { nodeId } = growing;
    const text = stripControlSequences(growing.text);
    const printed = this.#reply?.nodeId === nodeId && text.startsWith(this.#reply.text) ? this.#reply.text : '';
    const length = measureFinishedBlocks(text.slice(printed.length));
    if (length === 0) return [];
    const block = text.slice(printed.length, printed.length + length);
    this.#reply = { nodeId, text: printed + block };
    const head = printed === '' ? [replyHead(state, width, style)] : [];
    return [...head, ...renderMarkdownLines(block, width, style), ''];
  }
}

function replyHead({ growing, model, places }: ChatState, width: number, style: TextStyles): string {
  const [index = 0, total = 1] = (growing?.nodeId == null ? undefined : places.get(growing.nodeId)) ?? [];
  // The same heading as that of a finished reply.
  const name = model.slice(model.indexOf('/') + 1);
  return `${style.strong(toOneLine(name, Math.min(40, width)))}${style.active(formatVersionMark(index, total))}`;
}

/** Returns the messages of the thread that no longer change. */
function finishedNodes({ nodes, growing }: ChatState): readonly Node[] {
  return nodes.filter((node) => node.id !== growing?.nodeId && node.status !== 'pending');
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
