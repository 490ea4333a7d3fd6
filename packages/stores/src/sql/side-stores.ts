/** Runs, attachments and accounts of a database behind their contracts. */
import { sha256Hex } from '@coppice/content';
import type { AccountStore, BlobStore, Run, RunStore, TreeId } from '@coppice/core';
import { addHashes } from '../attachments.ts';
import { findBlob, holdBlobs, putBlob, readBlob, type Shelf } from './attachments.ts';
import type { Dialect, Work } from './query.ts';
import * as side from './side-tables.ts';

/** How a store lets work into its database. */
export interface Doors {
  snapshot<T>(work: () => Work<T>): Promise<T>;
  transaction<T>(work: () => Work<T>): Promise<T>;
  /** Refuses a tree that is not this owner's. */
  known(treeId: TreeId): Work<unknown>;
}

/** The runs of an owner. */
export function runStore(dialect: Dialect, owner: string, doors: Doors): RunStore {
  function* holding(data: Run['data']): Work<void> {
    const named = new Set<string>();
    addHashes(JSON.stringify(data), named);
    yield* holdBlobs(dialect, owner, named);
  }
  return {
    start: (run) =>
      doors.transaction(function* () {
        yield* doors.known(run.treeId);
        yield* holding(run.data);
        yield* side.startRun(owner, run);
      }),
    beat: (id, at) => doors.transaction(() => side.beatRun(owner, id, at)),
    note: (id, data) =>
      doors.transaction(function* () {
        yield* holding(data);
        return yield* side.noteRun(owner, id, data);
      }),
    append: (id, chunk) => doors.transaction(() => side.appendChunk(owner, id, chunk)),
    chunks: (id, from = 0) => doors.snapshot(() => side.runChunks(owner, id, from)),
    find: (id) => doors.snapshot(() => side.findRun(owner, id)),
    list: (treeId) => doors.snapshot(() => side.listRuns(owner, treeId)),
    claimStale: (before, process, at) => doors.transaction(() => side.claimStaleRuns(owner, before, process, at)),
    end: (id) => doors.transaction(() => side.endRun(owner, id)),
  };
}

/** The attachments of an owner. `sweep` takes what an earlier purge had to leave. */
export function blobStore(shelf: Shelf, doors: Doors, sweep: () => Promise<void>): BlobStore {
  const { owner } = shelf;
  return {
    put: async (bytes, mediaType) => {
      const info = { hash: sha256Hex(bytes), size: bytes.length, mediaType };
      const kept = await doors.transaction(() => putBlob(shelf, info, bytes));
      await sweep();
      return kept;
    },
    find: (hash) => doors.snapshot(() => findBlob(owner, hash)),
    read: (hash, range) => {
      const length = range === undefined ? null : Math.max(0, range.end - range.start);
      return doors.snapshot(() => readBlob(owner, hash, range?.start ?? 0, length));
    },
  };
}

/** Users, tokens and shares of all owners. */
export function accountStore(doors: Doors): AccountStore {
  return {
    putUser: (user) => doors.transaction(() => side.putUser(user)),
    users: () => doors.snapshot(() => side.listUsers()),
    user: (id) => doors.snapshot(() => side.findUser(id)),
    putToken: (token) => doors.transaction(() => side.putToken(token)),
    tokens: (userId) => doors.snapshot(() => side.listTokens(userId)),
    tokenByHash: (hash) => doors.snapshot(() => side.tokenByHash(hash)),
    putShare: (share) => doors.transaction(() => side.putShare(share)),
    shares: (owner, treeId) => doors.snapshot(() => side.listShares(owner, treeId)),
    shareByHash: (hash) => doors.snapshot(() => side.shareByHash(hash)),
  };
}
