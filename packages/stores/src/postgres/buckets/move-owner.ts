/**
 * Moves an owner to another bucket while the owner writes. The new bucket refuses the owner first. Each tree is copied,
 * and again if it changed. Then the owner is locked, the remaining changes are copied, the old bucket starts to refuse
 * the owner, and only then the new one accepts it. So the two buckets never accept writes at the same time, and
 * a server with an old cache cannot write to a half copied bucket. An interrupted move is repeated from the beginning,
 * or finished if the old bucket already refuses the owner.
 */
import { refuse } from '@coppice/core';
import { nodeNumbersPerTree } from '../../sql/numbers.ts';
import type { PostgresDatabase } from '../database.ts';
import { positionsPerEpoch } from '../feed-positions.ts';
import { commitChannelOf } from '../notifications.ts';
import { ownerGateLockKeys } from '../owner-gate.ts';
import { quoteLiteral } from '../quote.ts';
import { makeProgramTooOldError, newestSchemaVersion, readSchemaVersion } from '../schema-version.ts';
import type { BucketPool } from './bucket-pool.ts';
import { assignOwner, findBucketOfOwner, reassignOwner, requireBucket } from './directory.ts';
import type { OwnerMoveOptions, OwnerMoveReport } from './move-report.ts';
import { bucketMoveLock, movedBlobTable, movedOwnerTables, movedTreeTables } from './moved-tables.ts';
import { type BucketConnection, connectBucket, copyRows, queryFirstColumn } from './row-copy.ts';

/** Selects the hash of each attachment, and a fingerprint that changes when its bytes are moved to another place. */
const blobFingerprints = `SELECT hash || ' ' || concat_ws(' ', length(bytes), object) FROM ${movedBlobTable} WHERE owner = $1`;

/**
 * Selects a fingerprint of each tree. A commit changes its version; a purge, or a change of data without a version,
 * changes a number of rows.
 */
const fingerprints = `SELECT t.id || ' ' || concat_ws(' ', t.version, t.format,
    (SELECT count(*) FROM node n WHERE n.no BETWEEN t.no * ${nodeNumbersPerTree} AND t.no * ${nodeNumbersPerTree} + ${nodeNumbersPerTree - 1}), (SELECT count(*) FROM node_content c WHERE c.tree_id = t.id),
    (SELECT count(*) FROM external_id e WHERE e.tree_id = t.id), (SELECT count(*) FROM provenance p WHERE p.tree_id = t.id))
  FROM tree t WHERE t.owner = $1 ORDER BY t.id`;

// The maximum number of rounds that copy changed trees before the owner is locked. For a very busy owner, more is left
// to copy under the lock.
const mostRounds = 8;
const fewChanged = 2;
const notifiedAtOnce = 500;

/** Moves an owner to another bucket. Throws if another move of the owner is in progress. */
export async function moveOwner(
  pool: BucketPool,
  owner: string,
  to: string,
  options: OwnerMoveOptions = {},
): Promise<OwnerMoveReport> {
  const schema = await pool.directory.read(readSchemaVersion);
  // This program does not know the tables that a newer one added, and would leave their rows behind.
  if ((schema?.version ?? 0) > newestSchemaVersion) throw makeProgramTooOldError(pool.directory.settings.place);
  const target = await pool.directory.read(() => requireBucket(to));
  const guard = await connectBucket(pool.directory);
  try {
    await guard.begin('READ COMMITTED');
    const [free] = await queryFirstColumn(guard, "SELECT pg_try_advisory_xact_lock(hashtext('move ' || $1), 0)", owner);
    if (free !== 't') return refuse('command/invalid', `The owner ${owner} is being moved by another process.`);
    const [noBucketMove] = await queryFirstColumn(guard, `SELECT pg_try_advisory_xact_lock_shared(${bucketMoveLock})`);
    if (noBucketMove !== 't')
      return refuse(
        'command/invalid',
        'A bucket is being moved, or the buckets are being backed up: move the owner when that has ended.',
      );
    const before = await pool.directory.read(() => findBucketOfOwner(owner));
    // The owner's first write may assign another bucket at this moment.
    const home = before ?? (await pool.write(() => assignOwner(owner, to)));
    if (before === null && home === to) return { owner, from: null, to, trees: 0, lockedMs: 0 };
    await pool.reload();
    const source = (await pool.named(home)).database;
    if (home === to) {
      await new OwnerMove(pool, owner, { from: home, to }).clearLeftovers();
      return { owner, from: home, to, trees: 0, lockedMs: 0 };
    }
    const destination = (await pool.named(target.name)).database;
    const moving = new OwnerMove(pool, owner, { from: home, to });
    return await moving.run(source, destination, options);
  } finally {
    await guard.end();
  }
}

/** One move of an owner, from the first copy to the deletion of the old rows. */
class OwnerMove {
  readonly #pool: BucketPool;
  readonly #owner: string;
  readonly #names: { readonly from: string; readonly to: string };
  /** The fingerprints of the copied trees, as they were when each was copied. */
  readonly #copied = new Map<string, string>();

  constructor(pool: BucketPool, owner: string, names: { readonly from: string; readonly to: string }) {
    this.#pool = pool;
    this.#owner = owner;
    this.#names = names;
  }

  async run(
    source: PostgresDatabase,
    destination: PostgresDatabase,
    options: OwnerMoveOptions,
  ): Promise<OwnerMoveReport> {
    const from = await connectBucket(source);
    const to = await connectBucket(destination);
    const { from: fromName, to: toName } = this.#names;
    try {
      await refuseClosedBucket(from, fromName);
      await refuseClosedBucket(to, toName);
      const gone = await this.#goneTo(from);
      let lockedMs = 0;
      if (gone === null) lockedMs = await this.#copyAll(from, to, options);
      else if (gone !== toName)
        refuse(
          'command/invalid',
          `The owner ${this.#owner} is in an interrupted move to ${gone}: repeat that move first.`,
        );
      // This commit also waits until the standby of the old bucket has the row in `owner_gone`. If the move is resumed
      // after a crash, the standby may still lack that row, and a failover would then lose it while the new bucket
      // already accepts the owner.
      const trees = await this.#notify(from, source);
      await this.#accept(to);
      await this.#pool.write(() => reassignOwner(this.#owner, toName));
      await this.#pool.forget(this.#owner);
      await this.#clear(from);
      return { owner: this.#owner, from: fromName, to: toName, trees, lockedMs };
    } finally {
      await from.end();
      await to.end();
    }
  }

  /** Deletes the rows that interrupted moves left in other buckets. */
  async clearLeftovers(): Promise<void> {
    for (const { bucket, database } of await this.#pool.all()) {
      if (bucket.name === this.#names.to) continue;
      const old = await connectBucket(database);
      try {
        // The rows are deleted only if this bucket has recorded that the owner is in another one.
        if ((await this.#goneTo(old)) !== null) await this.#clear(old);
      } finally {
        await old.end();
      }
    }
  }

  /**
   * Copies all data of the owner and makes the old bucket refuse the owner. If that fails, the copies are deleted and
   * the owner stays in the old bucket.
   */
  async #copyAll(from: BucketConnection, to: BucketConnection, options: OwnerMoveOptions): Promise<number> {
    await this.#refuse(to);
    await this.#clear(to);
    try {
      for (let round = 0; round < mostRounds; round++) if ((await this.#round(from, to, options)) <= fewChanged) break;
      return await this.#finish(from, to);
    } catch (error) {
      for (const { client } of [from, to]) await client.query('ROLLBACK').catch(() => undefined);
      // If the last commit succeeded although its answer was lost, the old bucket already refuses the owner, and the
      // copies must stay.
      if ((await this.#goneTo(from).catch(() => '')) === null) await this.#clear(to).catch(() => undefined);
      throw error;
    }
  }

  /** Makes a bucket refuse the owner, whose data is in the old bucket. */
  async #refuse(at: BucketConnection): Promise<void> {
    await at.begin('READ COMMITTED');
    await at.client.query('INSERT INTO owner_gone (owner, bucket) VALUES ($1, $2) ON CONFLICT (owner) DO NOTHING', [
      this.#owner,
      this.#names.from,
    ]);
    await at.commit();
  }

  /** Makes a bucket accept the owner. */
  async #accept(at: BucketConnection): Promise<void> {
    await at.begin('READ COMMITTED');
    await at.client.query('DELETE FROM owner_gone WHERE owner = $1', [this.#owner]);
    await at.commit();
  }

  async #goneTo(from: BucketConnection): Promise<string | null> {
    await from.begin('READ COMMITTED');
    const [gone] = await queryFirstColumn(from, 'SELECT bucket FROM owner_gone WHERE owner = $1', this.#owner);
    await from.commit();
    return gone ?? null;
  }

  /** Copies the trees that changed since the last call. Returns how many were copied. */
  async #round(from: BucketConnection, to: BucketConnection, { onProgress }: OwnerMoveOptions): Promise<number> {
    await from.begin('REPEATABLE READ');
    const changed = await this.#copyChanged(from, to, (copied, trees) => onProgress?.({ copied, trees }), true);
    await to.begin('READ COMMITTED');
    await this.#copyBlobs(from, to);
    await to.commit();
    await from.commit();
    return changed;
  }

  /** Copies the trees whose fingerprints changed: each in a separate transaction, or all in the current one. */
  async #copyChanged(
    from: BucketConnection,
    to: BucketConnection,
    report: (copied: number, trees: number) => void,
    isSeparate: boolean,
  ): Promise<number> {
    const found = new Map((await queryFirstColumn(from, fingerprints, this.#owner)).map((line) => split(line)));
    const changed = [...found].filter(([id, print]) => this.#copied.get(id) !== print);
    const gone = [...this.#copied.keys()].filter((id) => !found.has(id));
    let done = 0;
    for (const [id, print] of changed) {
      if (isSeparate) await to.begin('READ COMMITTED');
      await deleteTree(to, id, this.#owner);
      await copyTree(from, to, id);
      if (isSeparate) await to.commit();
      this.#copied.set(id, print);
      report(++done, changed.length);
    }
    for (const id of gone) {
      if (isSeparate) await to.begin('READ COMMITTED');
      await deleteTree(to, id, this.#owner);
      if (isSeparate) await to.commit();
      this.#copied.delete(id);
    }
    return changed.length + gone.length;
  }

  async #copyBlobs(from: BucketConnection, to: BucketConnection): Promise<void> {
    const [here, there] = [
      new Map((await queryFirstColumn(from, blobFingerprints, this.#owner)).map(split)),
      new Map((await queryFirstColumn(to, blobFingerprints, this.#owner)).map(split)),
    ];
    // An attachment that was moved to an object store, or from it, is copied again.
    const extra = [...there].filter(([hash, print]) => here.get(hash) !== print).map(([hash]) => hash);
    if (extra.length > 0)
      await to.client.query(`DELETE FROM ${movedBlobTable} WHERE owner = $1 AND hash = ANY (CAST($2 AS TEXT[]))`, [
        this.#owner,
        extra,
      ]);
    const missing = [...here].filter(([hash, print]) => there.get(hash) !== print).map(([hash]) => hash);
    const owner = quoteLiteral(this.#owner);
    if (missing.length > 0)
      await copyRows(from, to, {
        table: movedBlobTable,
        condition: `owner = ${owner} AND hash = ANY (CAST($1 AS TEXT[]))`,
        parameter: missing,
      });
  }

  /**
   * Locks the owner, copies the remaining changes, and makes the old bucket refuse the owner. Returns for how many
   * milliseconds the owner was locked.
   */
  async #finish(from: BucketConnection, to: BucketConnection): Promise<number> {
    const owner = this.#owner;
    await from.begin('READ COMMITTED');
    const begun = performance.now();
    // Waits for running write transactions of the owner. Later ones wait until this transaction ends.
    await from.client.query('SELECT pg_advisory_xact_lock(hashtext($1), $2)', [owner, ownerGateLockKeys.owner]);
    await to.begin('READ COMMITTED');
    await this.#copyChanged(from, to, () => undefined, false);
    await this.#copyBlobs(from, to);
    for (const [table, condition] of movedOwnerTables.toReversed())
      await to.client.query(`DELETE FROM ${table} WHERE ${condition}`, [owner]);
    for (const [table, condition] of movedOwnerTables) await copyRows(from, to, { table, condition, parameter: owner });
    // New commits in the new bucket must get higher positions than the copied commits.
    const copied = `(SELECT coalesce(max(id), 0) / ${positionsPerEpoch} FROM change WHERE owner = $1)`;
    await to.client.query(`UPDATE feed_epoch SET epoch = ${copied} + 1 WHERE epoch <= ${copied}`, [owner]);
    await to.commit();
    await from.client.query('INSERT INTO owner_gone (owner, bucket) VALUES ($1, $2)', [owner, this.#names.to]);
    await from.commit();
    return performance.now() - begun;
  }

  /** Wakes the feeds of the owner in the old bucket, so that they continue in the new one. */
  async #notify(from: BucketConnection, source: PostgresDatabase): Promise<number> {
    const channel = commitChannelOf(source.settings.schema);
    await from.begin('READ COMMITTED');
    const trees = await queryFirstColumn(from, 'SELECT id FROM tree WHERE owner = $1', this.#owner);
    for (let at = 0; at < Math.max(trees.length, 1); at += notifiedAtOnce)
      await from.client.query('SELECT pg_notify($1, payload) FROM unnest(CAST($2 AS TEXT[])) AS payload', [
        channel,
        (trees.length === 0 ? ['-'] : trees.slice(at, at + notifiedAtOnce)).map((id) => `${id} 0 ${this.#owner}`),
      ]);
    await from.commit();
    return trees.length;
  }

  /** Deletes all rows of the owner from a bucket, one tree at a time. */
  async #clear(at: BucketConnection): Promise<void> {
    await at.begin('READ COMMITTED');
    const trees = await queryFirstColumn(at, 'SELECT id FROM tree WHERE owner = $1', this.#owner);
    await at.commit();
    for (const id of trees) {
      await at.begin('READ COMMITTED');
      await deleteTree(at, id, this.#owner);
      await at.commit();
    }
    await at.begin('READ COMMITTED');
    for (const [table, condition] of movedOwnerTables.toReversed())
      await at.client.query(`DELETE FROM ${table} WHERE ${condition}`, [this.#owner]);
    await at.client.query(`DELETE FROM ${movedBlobTable} WHERE owner = $1`, [this.#owner]);
    await at.commit();
  }
}

/** Throws if a move of the whole bucket was interrupted after the bucket was closed. */
async function refuseClosedBucket(at: BucketConnection, name: string): Promise<void> {
  await at.begin('READ COMMITTED');
  const [place] = await queryFirstColumn(at, "SELECT bucket FROM owner_gone WHERE owner = ''");
  await at.commit();
  if (place !== undefined)
    refuse('command/invalid', `The bucket ${name} is on the way to ${place}: repeat that move first.`);
}

/**
 * Deletes a tree of an owner from a bucket. Throws if another owner has a tree with this id there, because ids are
 * unique only within a bucket.
 */
async function deleteTree(at: BucketConnection, id: string, owner: string): Promise<void> {
  const [whose] = await queryFirstColumn(at, 'SELECT owner FROM tree WHERE id = $1', id);
  if (whose === undefined) return;
  if (whose !== owner)
    refuse('id/taken', `The tree ${id} cannot be moved: another user has a tree with this id in that bucket.`, {
      treeId: id,
    });
  for (const [table, column] of movedTreeTables.toReversed())
    await at.client.query(`DELETE FROM ${table} WHERE ${column} = $1`, [id]);
  // The active node of a tree cannot be deleted, so it is unset first.
  await at.client.query('UPDATE tree SET active_node_id = NULL WHERE id = $1', [id]);
  await at.client.query(`DELETE FROM node WHERE ${nodesOfTree}`, [id]);
  await at.client.query('DELETE FROM tree WHERE id = $1', [id]);
}

const nodesOfTree = `no BETWEEN (SELECT t.no FROM tree t WHERE t.id = $1) * ${nodeNumbersPerTree}
  AND (SELECT t.no FROM tree t WHERE t.id = $1) * ${nodeNumbersPerTree} + ${nodeNumbersPerTree - 1}`;

/** Copies a tree. It gets a new tree number, because row numbers are valid only within a bucket. */
async function copyTree(from: BucketConnection, to: BucketConnection, id: string): Promise<void> {
  const [before = '0', active] = await queryFirstColumn(
    from,
    'SELECT unnest(ARRAY[CAST(no AS TEXT), active_node_id]) FROM tree WHERE id = $1',
    id,
  );
  const [after = '0'] = await queryFirstColumn(
    to,
    "SELECT CAST(nextval(pg_get_serial_sequence('tree', 'no')) AS TEXT)",
  );
  const moved = `value + (${after} - ${before}) * CAST(${nodeNumbersPerTree} AS BIGINT)`;
  // The tree row is copied before its nodes, so the active node is set at the end.
  const treeRewrite = { no: `value - value + ${after}`, active_node_id: 'NULL' };
  await copyRows(from, to, { table: 'tree', condition: 'id = $1', parameter: id, rewrite: treeRewrite });
  const rewrite = { no: moved, parent_no: moved, match_no: moved, last_no: moved, root_of: `value - value + ${after}` };
  await copyRows(from, to, { table: 'node', condition: nodesOfTree, parameter: id, rewrite });
  if (active !== null && active !== undefined)
    await to.client.query('UPDATE tree SET active_node_id = $2 WHERE id = $1', [id, active]);
  for (const [table, column] of movedTreeTables)
    await copyRows(from, to, { table, condition: `${column} = $1`, parameter: id });
}

function split(line: string): [id: string, print: string] {
  const at = line.indexOf(' ');
  return [line.slice(0, at), line.slice(at + 1)];
}
