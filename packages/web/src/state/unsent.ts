/**
 * Messages on their way to the server, kept by the browser until they are there: a window that is closed while the server
 * is away takes no words along. They come back to the composer of their tree.
 */
import type { NodeId, TreeId } from '@coppice/core';
import { isJsonRecordValue } from './http.ts';
import { readLocal, writeLocal } from './local-storage.ts';

/** A message that the server has not confirmed. */
export interface Unsent {
  readonly id: string;
  readonly text: string;
  readonly at: number;
}

/** Those that this page is sending itself. */
const onTheWay = new Set<string>();

function storageName(tree: TreeId): string {
  return `unsent.${tree}`;
}

function parseUnsent(text: string | null): readonly Unsent[] {
  if (text === null) return [];
  try {
    const list: unknown = JSON.parse(text);
    if (!Array.isArray(list)) return [];
    return list.flatMap((each: unknown) =>
      isJsonRecordValue(each) &&
      typeof each.id === 'string' &&
      typeof each.text === 'string' &&
      typeof each.at === 'number'
        ? [{ id: each.id, text: each.text, at: each.at }]
        : [],
    );
  } catch {
    // What nobody can read any more is nothing to bring back.
    return [];
  }
}

/** What was on its way when another page of this tree, or an earlier one, went. */
export function unsentOf(tree: TreeId): readonly Unsent[] {
  return parseUnsent(readLocal(storageName(tree))).filter(({ id }) => !onTheWay.has(id));
}

/** Keeps a message until it is told that it arrived or was given back. */
export function keepUnsent(tree: TreeId, id: NodeId, text: string, at: number): void {
  onTheWay.add(id);
  writeLocal(storageName(tree), JSON.stringify([...parseUnsent(readLocal(storageName(tree))), { id, text, at }]));
}

/** Forgets a message that is where it belongs. */
export function dropUnsent(tree: TreeId, id: string): void {
  onTheWay.delete(id);
  const left = parseUnsent(readLocal(storageName(tree))).filter((each) => each.id !== id);
  writeLocal(storageName(tree), left.length === 0 ? null : JSON.stringify(left));
}
