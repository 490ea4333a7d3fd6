/**
 * Stores messages until the server confirms them, so that closing the window while the server is unreachable loses
 * nothing. Their texts return to the composer of their tree.
 */
import type { NodeId, TreeId } from '@coppice/core';
import { isFieldMap } from '@coppice/core/decode';
import type { TextStorage } from './environment.ts';

/** A message that the server has not confirmed. */
export interface UnsentMessage {
  readonly id: string;
  readonly text: string;
  readonly at: number;
}

function storageName(tree: TreeId): string {
  return `unsent.${tree}`;
}

function parseUnsent(text: string | null): readonly UnsentMessage[] {
  try {
    const list: unknown = JSON.parse(text ?? '[]');
    if (!Array.isArray(list)) return [];
    return list.flatMap((each: unknown) =>
      isFieldMap(each) && typeof each.id === 'string' && typeof each.text === 'string' && typeof each.at === 'number'
        ? [{ id: each.id, text: each.text, at: each.at }]
        : [],
    );
  } catch {
    // A text that is not JSON is ignored.
    return [];
  }
}

/** The unsent messages of all trees. */
export class UnsentMessages {
  readonly #storage: TextStorage;
  /** The messages that this program is sending now. */
  readonly #sending = new Set<string>();

  constructor(storage: TextStorage) {
    this.#storage = storage;
  }

  #read(tree: TreeId): readonly UnsentMessage[] {
    return parseUnsent(this.#storage.read(storageName(tree)));
  }

  /** Returns the messages of a tree that another window, or an earlier one, could not send. */
  of(tree: TreeId): readonly UnsentMessage[] {
    return this.#read(tree).filter(({ id }) => !this.#sending.has(id));
  }

  /** Stores a message until `drop` is called. */
  keep(tree: TreeId, id: NodeId, text: string, at: number): void {
    this.#sending.add(id);
    this.#storage.write(storageName(tree), JSON.stringify([...this.#read(tree), { id, text, at }]));
  }

  /** Removes a message that the server has confirmed, or whose text is in a composer again. */
  drop(tree: TreeId, id: string): void {
    this.#sending.delete(id);
    const left = this.#read(tree).filter((each) => each.id !== id);
    this.#storage.write(storageName(tree), left.length === 0 ? null : JSON.stringify(left));
  }
}
