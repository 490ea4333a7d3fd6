/** Numbers, times and beginnings of texts in the sentences of commands. */
import type { Node, NodeId, TopologyNode } from '@coppice/core';
import { previewOf } from '@coppice/core/tree';

/** `1 message`, `3 messages`. */
export function countOf(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

const units = [
  ['year', 365 * 86_400_000],
  ['month', 30 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** How long ago, by the largest unit that fits. Clocks differ: what lies ahead is now. */
export function ageOf(ms: number): string {
  for (const [unit, length] of units) if (ms >= length) return `${countOf(Math.floor(ms / length), unit)} ago`;
  return 'just now';
}

// What a model or a stranger wrote must not move a terminal's cursor, or turn round what stands beside it.
const unsafe = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** A text on one line that a terminal shows as it is. */
export function stripUnsafe(text: string): string {
  return text.replace(/\s+/g, ' ').replace(unsafe, '').trim();
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The first words of a text in quotes, so that a sentence can name it. */
export function quote(text: string, most = 50): string {
  const line = stripUnsafe(text.slice(0, most * 8));
  // As people see them: a picture that is joined from several, or a letter with its marks, is one.
  const letters = Array.from(segmenter.segment(line), ({ segment }) => segment);
  const isWhole = letters.length <= most && text.length <= most * 8;
  return `“${isWhole ? line : `${letters.slice(0, most - 1).join('')}…`}”`;
}

/** A node in a sentence: who speaks and the first words, or what kind of marker it is. */
export function describeNode(node: Pick<Node, 'text' | 'meta' | 'role' | 'kind'>): string {
  const words = previewOf(node, 1);
  return `${roleLabel(node)} ${words === '' ? '(no text)' : quote(words)}`;
}

/** Who speaks, or what kind of marker it is. */
export function roleLabel({ kind, role }: Pick<TopologyNode, 'kind' | 'role'>): string {
  return kind === 'message' ? role : kind;
}

/** The end of an id: ids made in the same minute begin alike. */
export function shortId(id: NodeId): string {
  return id.slice(-8);
}
