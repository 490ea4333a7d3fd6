/** Implements the run, blob and account stores of the contract on a database. */
import { sha256Hex } from '@coppice/content';
import type { AccountStore, BlobStore, Run, RunStore, TreeId } from '@coppice/core';
import { addBlobHashesInJson } from '../attachments.ts';
import type { WaitingUploads } from '../waiting-uploads.ts';
import { type AttachmentObjectStore, beginUpload, throwAttachmentObjectMissing } from './attachment-objects.ts';
import { type BlobScope, findBlob, lockBlobs, putBlob, readBlob } from './attachments.ts';
import type { SqlDialect, SqlTask } from './query.ts';
import type { RunAnswer, RunOperation } from './run-batches.ts';
import * as side from './side-tables.ts';

/** The transactions of a store, as runs, attachments and accounts use them. */
export interface SqlTransactions {
  snapshot<T>(work: () => SqlTask<T>): Promise<T>;
  transaction<T>(work: () => SqlTask<T>): Promise<T>;
  /** Runs an operation on a run, together with operations on other runs. `alone` runs it separately if that fails. */
  shared<T extends RunAnswer>(operation: RunOperation, alone: () => Promise<T>): Promise<T>;
  /** Throws if the owner does not have the tree. */
  known(treeId: TreeId): SqlTask<unknown>;
}

export function createRunStore(dialect: SqlDialect, owner: string, transactions: SqlTransactions): RunStore {
  function* holding(data: Run['data']): SqlTask<void> {
    const named = new Set<string>();
    addBlobHashesInJson(JSON.stringify(data), named);
    yield* lockBlobs(dialect, owner, named);
  }
  return {
    start: (run) =>
      transactions.transaction(function* () {
        yield* transactions.known(run.treeId);
        yield* holding(run.data);
        yield* side.startRun(dialect, owner, run);
      }),
    beat: (id, at) => {
      const alone = () => transactions.transaction(() => side.setRunHeartbeat(dialect, owner, id, at));
      return at === undefined ? transactions.shared({ type: 'beat', owner, id }, alone) : alone();
    },
    note: (id, data, unless) =>
      transactions.transaction(function* () {
        yield* holding(data);
        return yield* side.updateRunData(owner, id, data, unless);
      }),
    append: (id, chunk) =>
      transactions.shared({ type: 'append', owner, id, chunk }, () =>
        transactions.transaction(() => side.appendChunk(dialect, owner, id, chunk)),
      ),
    chunks: (id, from = 0) =>
      transactions.shared({ type: 'chunks', owner, id, from }, () =>
        transactions.snapshot(() => side.readRunChunks(owner, id, from)),
      ),
    find: (id) =>
      transactions.shared({ type: 'find', owner, id }, () => transactions.snapshot(() => side.findRun(owner, id))),
    list: (treeId) => transactions.snapshot(() => side.listRuns(owner, treeId)),
    claimStale: (silentMs, process) =>
      transactions.transaction(() => side.claimStaleRuns(dialect, owner, silentMs, process)),
    claimStaleOfAll: (silentMs, process) =>
      transactions.transaction(() => side.claimStaleRunsOfAll(dialect, silentMs, process)),
    end: (id) => transactions.transaction(() => side.endRun(owner, id)),
  };
}

/** Creates the store of an owner's attachments. `sweep` deletes attachments that earlier purges did not delete. */
export function createBlobStore(
  blobScope: BlobScope,
  transactions: SqlTransactions,
  uploads: WaitingUploads,
  sweep: () => Promise<void>,
  objects: AttachmentObjectStore | undefined,
): BlobStore {
  const { owner } = blobScope;
  const upload = async (bytes: Uint8Array, hash: string): Promise<string | null> => {
    const address = objects?.newAddress() ?? null;
    if (objects === undefined || address === null) return null;
    // Bytes that exist already are not uploaded again. If a purge deletes them at this moment, `putBlob` stores the
    // bytes in the database.
    if ((await transactions.snapshot(() => findBlob(owner, hash))) !== null) return null;
    await transactions.transaction(() => beginUpload(blobScope.dialect, address));
    await objects.put(address, bytes, hash);
    return address;
  };
  return {
    put: async (bytes, mediaType) => {
      const info = { hash: sha256Hex(bytes), size: bytes.length, mediaType };
      const at = Date.now();
      const address = await upload(bytes, info.hash);
      const storedInfo = await transactions.transaction(() => putBlob(blobScope, info, bytes, address));
      uploads.add(owner, info.hash, at);
      await sweep();
      return storedInfo;
    },
    find: (hash) => transactions.snapshot(() => findBlob(owner, hash)),
    async read(hash, range) {
      const start = range?.start ?? 0;
      const length = range === undefined ? null : Math.max(0, range.end - start);
      for (let before = ''; ; ) {
        const stored = await transactions.snapshot(() => readBlob(blobScope.dialect, owner, hash, start, length));
        if (stored === null) return null;
        const { bytes, address } = stored;
        if (objects === undefined || address === null || length === 0) return bytes;
        const found = await objects.read(address, length === null ? null : { start, length });
        if (found !== null) return found;
        // The object may be missing because a purge has deleted the row too, or because a move of attachments has
        // changed the address. So the row is read again; if it still has the same address, the object is lost.
        if (address === before) return throwAttachmentObjectMissing(address, hash);
        before = address;
      }
    },
  };
}

/** Creates the store of the users, tokens and shares of all owners. */
export function createAccountStore(transactions: SqlTransactions): AccountStore {
  return {
    putUser: (user) => transactions.transaction(() => side.putUser(user)),
    users: () => transactions.snapshot(() => side.listUsers()),
    user: (id) => transactions.snapshot(() => side.findUser(id)),
    putToken: (token) => transactions.transaction(() => side.putToken(token)),
    tokens: (userId) => transactions.snapshot(() => side.listTokens(userId)),
    tokenByHash: (hash) => transactions.snapshot(() => side.findTokenByHash(hash)),
    putShare: (share) => transactions.transaction(() => side.putShare(share)),
    shares: (owner, treeId) => transactions.snapshot(() => side.listShares(owner, treeId)),
    shareByHash: (hash) => transactions.snapshot(() => side.findShareByHash(hash)),
  };
}
