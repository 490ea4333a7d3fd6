/** Attachments by the hash of their bytes. */
import { sha256Hex } from '@coppice/content';
import type { BlobInfo, BlobStore, Commit } from '@coppice/core';
import { Awaited } from '../attachments.ts';
import type { Book } from './book.ts';
import type { Keeper } from './keeper.ts';

interface Kept {
  readonly info: BlobInfo;
  /** Null where the keeper has the bytes. */
  readonly bytes: Uint8Array | null;
}

/** The attachments of a book; one owner's are unknown to another, also where the bytes are the same. */
export class Blobs {
  readonly #book: Book;
  readonly #bytesOf: Keeper['bytesOf'];
  readonly #kept = new Map<string, Map<string, Kept>>();
  readonly #awaited = new Awaited();

  constructor(book: Book, keeper?: Keeper) {
    this.#book = book;
    this.#bytesOf = keeper?.bytesOf?.bind(keeper);
  }

  /** Tells of an attachment whose bytes the keeper has, when the book is opened. */
  know(owner: string, info: BlobInfo): void {
    this.#of(owner).set(info.hash, { info, bytes: null });
  }

  #of(owner: string): Map<string, Kept> {
    const own = this.#kept.get(owner) ?? new Map<string, Kept>();
    this.#kept.set(owner, own);
    return own;
  }

  /** Whether an owner has an attachment that no message is going to name any more, as far as anybody knows. */
  isIdle(owner: string, hash: string): boolean {
    return this.#of(owner).has(hash) && !this.#awaited.has(owner, hash);
  }

  /** Notes that a commit came through, which may name what was put for it. */
  arrived(owner: string, commit: Commit): void {
    this.#awaited.arrived(owner, commit);
  }

  /** Takes attachments away. */
  async drop(owner: string, hashes: readonly string[]): Promise<void> {
    if (hashes.length === 0) return;
    await this.#book.keep({ type: 'blobs-gone', owner, hashes });
    for (const hash of hashes) this.#of(owner).delete(hash);
  }

  /** The attachments as one owner sees them. */
  for(owner: string): BlobStore {
    return {
      put: async (given, mediaType) => {
        this.#book.writable();
        // A copy: the caller's buffer may change under the hash.
        const bytes = given.slice();
        const info: BlobInfo = { hash: sha256Hex(bytes), size: bytes.length, mediaType };
        this.#awaited.put(owner, info.hash);
        const there = this.#of(owner).get(info.hash);
        if (there !== undefined) return there.info;
        await this.#book.keep({ type: 'blob', owner, info, bytes });
        this.#of(owner).set(info.hash, { info, bytes: this.#bytesOf === undefined ? bytes : null });
        return info;
      },
      find: async (hash) => {
        this.#book.alive();
        return this.#of(owner).get(hash)?.info ?? null;
      },
      read: async (hash, range) => {
        this.#book.alive();
        const kept = this.#of(owner).get(hash);
        if (kept === undefined) return null;
        const bytes = kept.bytes ?? (await this.#bytesOf?.(owner, hash)) ?? null;
        if (bytes === null) return null;
        return range === undefined ? bytes.slice() : bytes.slice(Math.max(0, range.start), Math.max(0, range.end));
      },
    };
  }
}
