/**
 * Assigns each commit a position in the list feed of its owner, and reads the feed by these positions.
 *
 * A sequence assigns numbers before transactions end, so a higher number may become visible first, and a reader would
 * skip the lower one. Each owner therefore has lanes. A commit locks a free lane until it is committed, and draws its
 * number under that lock. So within a lane, a reader that sees a number also sees all lower ones. A reader remembers
 * one number per lane and never waits; an open transaction occupies one lane and delays no reader. A single lane would
 * be enough for this, but then the commits of one owner would wait for each other's disk writes.
 *
 * Positions contain an epoch. It increases when the tables are on another server than before, or on the same server
 * after a promotion or a restore. Commits that the new server does not have may have had positions that it would assign
 * again, and a reader that has seen them would miss the new commits. Every position of a later epoch is higher than all
 * positions before.
 */

import { queryRows, readNumberColumn, readTextColumn, type SqlRow, type SqlTask } from '../sql/query.ts';
import type { TableIndex } from './build-indexes.ts';
import { databaseDividedSqlState } from './owner-gate.ts';
import { programSchemaSetting, programTooOldSqlState } from './schema-version.ts';

/** The number of positions in one epoch. JavaScript numbers are exact up to 2^53, so there can be 8,192 epochs. */
export const positionsPerEpoch = 2 ** 40;

/** The number of lanes: at most this many commits of one owner are written to disk at the same time. */
const lanes = 8;

// The advisory lock of a lane has the hash of the owner as its first key, and this number plus the lane as its second.
const lockNumber = 0x636f_7000;

/**
 * Returns the function that assigns a position. It locks a lane first and reads the epoch afterwards, because the epoch
 * may change during the wait. It is written in PL/pgSQL, whose plans every server caches; servers before version 18
 * plan an SQL function at each call.
 */
function assignPositionSql(check: string): string {
  return `CREATE OR REPLACE FUNCTION change_takes_place() RETURNS TRIGGER LANGUAGE plpgsql AS $$
    DECLARE
      last feed_epoch;
      whose INTEGER := hashtext(NEW.owner);
    BEGIN
      NEW.lane := 0;
      WHILE NOT pg_try_advisory_xact_lock(whose, ${lockNumber} + NEW.lane) LOOP
        NEW.lane := NEW.lane + 1;
        IF NEW.lane = ${lanes} THEN
          NEW.lane := floor(random() * ${lanes});
          PERFORM pg_advisory_xact_lock(whose, ${lockNumber} + NEW.lane);
          EXIT;
        END IF;
      END LOOP;
      SELECT * INTO last FROM feed_epoch
        WHERE is_one AND started_at = pg_postmaster_start_time() AND table_oid = CAST(tableoid AS BIGINT);
      IF last.epoch IS NULL THEN last.epoch := feed_epoch_checked(); END IF;
      ${check}NEW.id := last.epoch * ${positionsPerEpoch} + nextval('change_number');
      RETURN NEW;
    END
  $$`;
}

const dividedCheck = `IF coalesce(current_setting('coppice.bucket', TRUE), '') = '' AND coalesce(last.divided, (SELECT e.divided FROM feed_epoch e)) THEN
        RAISE EXCEPTION 'the database was divided into buckets' USING ERRCODE = '${databaseDividedSqlState}';
      END IF;
      `;

/**
 * The statements of a migration that adds a check for buckets: a server that does not know of the directory is refused,
 * because it would write data of owners that are in other buckets.
 */
export const dividedCheckStatements: readonly string[] = [assignPositionSql(dividedCheck)];

/**
 * The statements of a migration. A commit by a program that is too old for the tables is refused, also if the program
 * opened the store before the tables were changed.
 */
export const writerCheckStatements: readonly string[] = [
  'ALTER TABLE feed_epoch ADD COLUMN oldest_writer BIGINT NOT NULL DEFAULT 0',
  assignPositionSql(
    `${dividedCheck}IF coalesce(last.oldest_writer, (SELECT e.oldest_writer FROM feed_epoch e)) > CAST(coalesce(nullif(current_setting('${programSchemaSetting}', TRUE), ''), '0') AS BIGINT) THEN
        RAISE EXCEPTION 'the program is too old for the tables' USING ERRCODE = '${programTooOldSqlState}';
      END IF;
      `,
  ),
];

/**
 * The statements of the migration that adds lanes, epochs, and the functions that assign positions. An epoch belongs to
 * a cluster, its timeline (which a promotion or a point-in-time restore changes), a database, and a table (which a
 * restored dump creates again). Reading all of these needs a file access. So a commit only compares the start time of
 * the server and the table: as long as both are the same, the others are too.
 */
export const feedPositionStatements: readonly string[] = [
  `CREATE TABLE feed_epoch (
    is_one BOOLEAN NOT NULL PRIMARY KEY DEFAULT TRUE CHECK (is_one),
    epoch BIGINT NOT NULL,
    started_at TIMESTAMPTZ NOT NULL,
    table_oid BIGINT NOT NULL,
    server TEXT NOT NULL
  )`,
  `INSERT INTO feed_epoch (epoch, started_at, table_oid, server)
    SELECT coalesce(max(id), 0) / ${positionsPerEpoch}, '-infinity', 0, '' FROM change`,
  'CREATE SEQUENCE change_number',
  `CREATE FUNCTION feed_server() RETURNS TEXT LANGUAGE plpgsql VOLATILE AS $$
    DECLARE cluster TEXT;
    BEGIN
      BEGIN
        SELECT CAST(system_identifier AS TEXT) INTO cluster FROM pg_control_system();
      EXCEPTION WHEN insufficient_privilege THEN cluster := '';
      END;
      RETURN concat_ws(' ', cluster, left(pg_walfile_name(pg_current_wal_insert_lsn()), 8),
        (SELECT oid FROM pg_database WHERE datname = current_database()), CAST(CAST('feed_epoch' AS REGCLASS) AS OID));
    END
  $$`,
  `CREATE FUNCTION feed_epoch_checked() RETURNS BIGINT LANGUAGE plpgsql VOLATILE AS $$
    DECLARE
      here TEXT := feed_server();
      last feed_epoch;
    BEGIN
      SELECT * INTO STRICT last FROM feed_epoch WHERE is_one FOR UPDATE;
      IF last.server <> here THEN last.epoch := last.epoch + 1; END IF;
      UPDATE feed_epoch SET epoch = last.epoch, server = here, started_at = pg_postmaster_start_time(),
        table_oid = CAST(tableoid AS BIGINT) WHERE is_one;
      RETURN last.epoch;
    END
  $$`,
  assignPositionSql(''),
  'ALTER TABLE change ALTER COLUMN id DROP DEFAULT',
  'ALTER TABLE change ADD COLUMN lane SMALLINT NOT NULL DEFAULT 0',
  'DROP FUNCTION change_place()',
  // A row that already has a position was copied from another server and keeps it.
  `CREATE TRIGGER change_takes_place BEFORE INSERT ON change FOR EACH ROW WHEN (NEW.id IS NULL)
    EXECUTE FUNCTION change_takes_place()`,
  'DROP INDEX change_feed',
];

/** The index for reading the commits of an owner by lane and position. */
export const ownerFeedIndex: TableIndex = { name: 'change_feed', table: 'change', definition: '(owner, lane, id)' };

// Most owners use only one lane, so unused lanes are not searched.
const usedLanes = 'generate_series(0, coalesce((SELECT max(m.lane) FROM change m WHERE m.owner = $1), -1))';

/**
 * Returns the commits of an owner after one position per lane, oldest first. A lane without a position is read from its
 * beginning.
 */
export function* queryEventRows(owner: string, since: readonly number[], limit: number): SqlTask<readonly SqlRow[]> {
  return yield* queryRows(
    `SELECT found.id, found.lane, found.tree_id, found.version FROM ${usedLanes} AS l(lane)
    CROSS JOIN LATERAL (
      SELECT c.id, c.lane, c.tree_id, c.version FROM change c
      WHERE c.owner = $1 AND c.lane = l.lane AND c.id > coalesce(CAST(CAST($2 AS JSON) ->> l.lane AS BIGINT), 0)
      ORDER BY c.id LIMIT $3
    ) AS found ORDER BY found.id LIMIT $3`,
    owner,
    JSON.stringify(since),
    limit,
  );
}

/** Returns the newest position of an owner in each lane. */
export function* queryNewestPositions(owner: string): SqlTask<number[]> {
  const found = yield* queryRows(
    `SELECT coalesce((SELECT max(c.id) FROM change c WHERE c.owner = $1 AND c.lane = l.lane), 0) AS place
    FROM ${usedLanes} AS l(lane) ORDER BY l.lane`,
    owner,
  );
  return found.map((one) => readNumberColumn(one, 'place'));
}

/** The newest commits of some trees and owners. */
export interface NewestCommits {
  /** The version of each tree that exists. */
  readonly trees: ReadonlyMap<string, number>;
  /** The newest position per lane of each owner that has commits. */
  readonly owners: ReadonlyMap<string, readonly number[]>;
}

/** Queries the newest commits of many trees and owners. */
export function* queryNewestCommits(trees: readonly string[], owners: readonly string[]): SqlTask<NewestCommits> {
  const versions = new Map<string, number>();
  const positions = new Map<string, number[]>();
  if (trees.length > 0)
    for (const row of yield* queryRows(
      'SELECT id, version FROM tree WHERE id IN (SELECT unnest(CAST($1 AS TEXT[])))',
      JSON.stringify(trees),
    ))
      versions.set(readTextColumn(row, 'id'), readNumberColumn(row, 'version'));
  if (owners.length > 0)
    for (const row of yield* queryRows(
      `SELECT o.owner, l.lane, coalesce((SELECT max(c.id) FROM change c WHERE c.owner = o.owner AND c.lane = l.lane), 0) AS place
      FROM unnest(CAST($1 AS TEXT[])) AS o(owner)
      CROSS JOIN LATERAL generate_series(0, coalesce((SELECT max(m.lane) FROM change m WHERE m.owner = o.owner), -1)) AS l(lane)
      ORDER BY o.owner, l.lane`,
      JSON.stringify(owners),
    )) {
      const owner = readTextColumn(row, 'owner');
      const known = positions.get(owner);
      if (known === undefined) positions.set(owner, [readNumberColumn(row, 'place')]);
      else known.push(readNumberColumn(row, 'place'));
    }
  if (owners.length > 0)
    // The feeds of a moved owner are woken too: their next read is directed to the other bucket.
    for (const row of yield* queryRows(
      "SELECT o.owner FROM unnest(CAST($1 AS TEXT[])) AS o(owner) WHERE EXISTS (SELECT 1 FROM owner_gone g WHERE g.owner IN (o.owner, ''))",
      JSON.stringify(owners),
    ))
      positions.set(readTextColumn(row, 'owner'), [Number.MAX_SAFE_INTEGER]);
  return { trees: versions, owners: positions };
}
