/** Stores attachments by hash, with the time when each was last added, and the uploads that wait for a message. */
import { sha256Hex } from '@coppice/content';
import { type BlobInfo, type BlobStore, isAppError } from '@coppice/core';
import { defaultAttachmentGraceMs, type StoreOptions } from '../options.ts';
import { WaitingUploads } from '../waiting-uploads.ts';
import type { InProcessState } from './in-process-state.ts';
import type { Persistence } from './persistence.ts';

interface StoredBlob {
  readonly info: BlobInfo;
  /** The bytes; null if the persistence stores them. */
  readonly bytes: Uint8Array | null;
  /** The time when the attachment was last added. */
  readonly at: number;
  /**
   * Whether a purge found no reference but did not delete the bytes, because an upload waits. A later purge checks
   * again.
   */
  readonly loose: boolean;
}

// If the same bytes are added again within this many milliseconds while an upload of them waits, the new time is not
// written to disk.
const exact = 60_000;

/** The attachments of a store. Owners do not see each other's attachments, even for the same bytes. */
export class InProcessBlobs {
  readonly #state: InProcessState;
  readonly #persistence: Persistence | undefined;
  readonly #now: () => number;
  readonly #grace: number;
  readonly #kept = new Map<string, Map<string, StoredBlob>>();
  readonly #uploads: WaitingUploads;

  constructor(state: InProcessState, persistence: Persistence | undefined, { now, attachmentGrace }: StoreOptions) {
    this.#state = state;
    this.#persistence = persistence;
    this.#now = now ?? Date.now;
    this.#grace = attachmentGrace ?? defaultAttachmentGraceMs;
    this.#uploads = new WaitingUploads(this.#grace, this.#now);
    state.blobHolds.hasBlobs = (owner) => this.#of(owner).size > 0;
    state.blobHolds.onReferred = (owner, hashes) => this.#referred(owner, hashes);
  }

  /**
   * Adds an attachment that was read from disk when the store was opened. If a hash is registered twice, the last time
   * counts and the first media type is kept.
   */
  register(owner: string, info: BlobInfo, at: number, loose: boolean): void {
    const there = this.#of(owner).get(info.hash);
    this.#of(owner).set(info.hash, { info: there?.info ?? info, bytes: null, at, loose });
  }

  #of(owner: string): Map<string, StoredBlob> {
    const own = this.#kept.get(owner) ?? new Map<string, StoredBlob>();
    this.#kept.set(owner, own);
    return own;
  }

  /**
   * Deletes the attachments of `candidates` that no data of the owner refers to, and those that an earlier purge did
   * not delete. Returns how many are not deleted, because a message may still refer to them. Deletes nothing if a tree
   * is unreadable, because that tree may refer to any attachment.
   */
  async collect(owner: string, candidates: Iterable<string>): Promise<number> {
    const own = this.#of(owner);
    const asked = new Set<string>();
    for (const hash of candidates) if (own.has(hash)) asked.add(hash);
    for (const [hash, { at, loose }] of own) if (loose && this.#due(at)) asked.add(hash);
    if (asked.size === 0) return 0;
    let waiting = 0;
    try {
      const still = await this.#state.findReferencedHashes(owner, asked);
      const wanted = this.#persistence?.findHeldBlobs?.(owner, asked, this.#now() - this.#grace);
      const { blobHolds } = this.#state;
      const gone: StoredBlob[] = [];
      for (const hash of asked) {
        // The attachment may have been deleted or added again while the trees were searched.
        const storedBlob = own.get(hash);
        if (storedBlob === undefined) continue;
        if (still.has(hash)) await this.#mark(owner, storedBlob, false);
        else if (!this.#uploads.has(owner, hash) && wanted?.has(hash) !== true && !blobHolds.has(owner, hash))
          gone.push(storedBlob);
        else {
          waiting++;
          await this.#mark(owner, storedBlob, true);
        }
      }
      // While the other attachments were marked, a commit may have started that refers to these bytes.
      const free = gone.filter(({ info }) => !blobHolds.has(owner, info.hash));
      if (free.length > 0) await this.#drop(owner, free);
      for (const kept of gone) if (!free.includes(kept)) await this.#mark(owner, kept, true);
    } catch (error) {
      // The purge itself has succeeded; bytes without a reference only take space.
      if (!isAppError(error)) throw error;
    }
    return waiting;
  }

  /**
   * Removes attachments from the map before the bytes are deleted, so that a concurrent `put` of the same bytes writes
   * them again.
   */
  async #drop(owner: string, gone: readonly StoredBlob[]): Promise<void> {
    const own = this.#of(owner);
    for (const { info } of gone) own.delete(info.hash);
    try {
      await this.#state.persist({ type: 'blobs-gone', owner, hashes: gone.map(({ info }) => info.hash) });
    } catch (error) {
      for (const kept of gone) if (!own.has(kept.info.hash)) own.set(kept.info.hash, kept);
      throw error;
    }
  }

  #due(at: number): boolean {
    return at <= this.#now() - this.#grace;
  }

  async #mark(owner: string, kept: StoredBlob, loose: boolean): Promise<void> {
    if (kept.loose === loose) return;
    this.#of(owner).set(kept.info.hash, { ...kept, loose });
    await this.#note(owner, { ...kept, loose });
  }

  /** Persists the time and the marks of an attachment without writing its bytes again. */
  #note(owner: string, { info, at, loose }: StoredBlob): Promise<void> {
    const waiting = this.#uploads.has(owner, info.hash);
    return this.#state.persist({ type: 'blob', owner, info, bytes: null, at, loose, waiting });
  }

  /**
   * Counts one waiting upload less for each of these attachments, and persists the attachments that no upload waits for
   * any more.
   */
  async #referred(owner: string, hashes: ReadonlySet<string>): Promise<void> {
    for (const hash of this.#uploads.claim(owner).take(hashes)) {
      const storedBlob = this.#of(owner).get(hash);
      if (storedBlob === undefined || this.#uploads.has(owner, hash)) continue;
      try {
        await this.#note(owner, storedBlob);
      } catch (error) {
        // The commit is durable, so it must not fail now. Other processes keep the bytes until the grace period
        // ends.
        if (!isAppError(error)) throw error;
      }
    }
  }

  /** Returns the attachments of one owner as a {@link BlobStore}. */
  for(owner: string): BlobStore {
    return {
      put: async (given, mediaType) => {
        this.#state.assertWritable();
        // The bytes are copied, because the caller may change its buffer.
        const bytes = given.slice();
        const info = await this.#put(owner, { hash: sha256Hex(bytes), size: bytes.length, mediaType }, bytes);
        await this.collect(owner, []);
        return info;
      },
      find: async (hash) => {
        this.#state.assertOpen();
        return this.#of(owner).get(hash)?.info ?? null;
      },
      read: async (hash, range) => {
        this.#state.assertOpen();
        const storedBlob = this.#of(owner).get(hash);
        if (storedBlob === undefined) return null;
        const bytes = storedBlob.bytes ?? (await this.#persistence?.readBlob?.(owner, hash)) ?? null;
        if (bytes === null) return null;
        return range === undefined ? bytes.slice() : bytes.slice(Math.max(0, range.start), Math.max(0, range.end));
      },
    };
  }

  async #put(owner: string, info: BlobInfo, bytes: Uint8Array): Promise<BlobInfo> {
    const at = this.#now();
    const there = this.#of(owner).get(info.hash);
    const isNoted = this.#uploads.has(owner, info.hash);
    if (there !== undefined) {
      this.#uploads.add(owner, info.hash, at);
      const again = { ...there, at };
      this.#of(owner).set(info.hash, again);
      if (!isNoted || at - there.at >= exact) await this.#note(owner, again);
      return there.info;
    }
    await this.#state.persist({ type: 'blob', owner, info, bytes, at, loose: false, waiting: true });
    this.#uploads.add(owner, info.hash, at);
    this.#of(owner).set(info.hash, {
      info,
      bytes: this.#persistence?.readBlob === undefined ? bytes : null,
      at,
      loose: false,
    });
    return info;
  }
}
