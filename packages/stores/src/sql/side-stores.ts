/** Runs, attachments and accounts of a database behind their contracts. */
import { sha256Hex } from '@coppice/content';
import type { AccountStore, BlobStore, RunStore, TreeId } from '@coppice/core';
import type { Awaited } from '../attachments.ts';
import type { Work } from './query.ts';
import * as side from './side-tables.ts';

/** How a store lets work into its database. */
export interface Doors {
  snapshot<T>(work: () => Work<T>): Promise<T>;
  transaction<T>(work: () => Work<T>): Promise<T>;
  /** Refuses a tree that is not this owner's. */
  known(treeId: TreeId): Work<unknown>;
}

/** The runs of an owner. */
export function runStore(owner: string, doors: Doors): RunStore {
  return {
    start: (run) =>
      doors.transaction(function* () {
        yield* doors.known(run.treeId);
        yield* side.startRun(owner, run);
      }),
    beat: (id, at) => doors.transaction(() => side.beatRun(owner, id, at)),
    note: (id, data) => doors.transaction(() => side.noteRun(owner, id, data)),
    append: (id, chunk) => doors.transaction(() => side.appendChunk(owner, id, chunk)),
    chunks: (id, from = 0) => doors.snapshot(() => side.runChunks(owner, id, from)),
    find: (id) => doors.snapshot(() => side.findRun(owner, id)),
    list: (treeId) => doors.snapshot(() => side.listRuns(owner, treeId)),
    claimStale: (before, process, at) => doors.transaction(() => side.claimStaleRuns(owner, before, process, at)),
    end: (id) => doors.transaction(() => side.endRun(owner, id)),
  };
}

/** The attachments of an owner. */
export function blobStore(owner: string, doors: Doors, awaited: Awaited): BlobStore {
  return {
    put: async (bytes, mediaType) => {
      const info = { hash: sha256Hex(bytes), size: bytes.length, mediaType };
      awaited.put(owner, info.hash);
      return doors.transaction(() => side.putBlob(owner, info, bytes));
    },
    find: (hash) => doors.snapshot(() => side.findBlob(owner, hash)),
    read: (hash, range) => {
      const length = range === undefined ? null : Math.max(0, range.end - range.start);
      return doors.snapshot(() => side.readBlob(owner, hash, range?.start ?? 0, length));
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
