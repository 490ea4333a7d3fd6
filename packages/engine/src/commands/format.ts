/** Formats numbers, ages and excerpts for the messages of commands. */
import type { Node, NodeId, TopologyNode } from '@coppice/core';
import { previewOf } from '@coppice/core/tree';

/** Formats a count with its noun: `1 message`, `3 messages`. */
export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

const units = [
  ['year', 365 * 86_400_000],
  ['month', 30 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/**
 * Converts an age in milliseconds to the largest unit that fits. A negative age counts as now, because clocks differ.
 */
export function toAgeInLargestUnit(ms: number): {
  readonly count: number;
  readonly unit: (typeof units)[number][0] | null;
} {
  for (const [unit, length] of units) if (ms >= length) return { count: Math.floor(ms / length), unit };
  return { count: 0, unit: null };
}

// Text from models or other people must not move the terminal's cursor or change the direction of the text next to it.
const unsafe = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Joins a text to one line and removes the characters that control a terminal. */
export function stripControlCharacters(text: string): string {
  return text.replace(/\s+/g, ' ').replace(unsafe, '').trim();
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Returns the first characters of a text in quotes, with an ellipsis if it is longer. */
export function quoteBeginning(text: string, most = 50): string {
  const line = stripControlCharacters(text.slice(0, most * 8));
  // The length is counted in graphemes: a joined emoji or a letter with combining marks counts as one.
  const letters = Array.from(segmenter.segment(line), ({ segment }) => segment);
  const isWhole = letters.length <= most && text.length <= most * 8;
  return `“${isWhole ? line : `${letters.slice(0, most - 1).join('')}…`}”`;
}

/** Describes a node in a sentence: its role (or the kind of marker) and its first words. */
export function describeNode(node: Pick<Node, 'text' | 'meta' | 'role' | 'kind'>): string {
  const words = previewOf(node, 1);
  return `${roleLabelOf(node)} ${words === '' ? '(no text)' : quoteBeginning(words)}`;
}

/** Returns the role of a message, or the kind of a marker. */
export function roleLabelOf({ kind, role }: Pick<TopologyNode, 'kind' | 'role'>): string {
  return kind === 'message' ? role : kind;
}

/** Returns the last eight characters of an id, because ids of the same minute begin alike. */
export function shortenId(id: NodeId): string {
  return id.slice(-8);
}
