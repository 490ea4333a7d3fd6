/**
 * Which programs may use tables of which version. A migration that only adds something lets programs of the version
 * before continue to read and write (expand); a later one removes what they need (contract).
 */
import { AppError, refusalKinds } from '@coppice/core';
import { queryRow, readNumberColumn, readNumberColumnOrNull, type SqlTask } from '../sql/query.ts';

/** The version of the tables that this build writes. */
export const newestSchemaVersion = 16;

/** The first version with a rule for older programs. Migrations to later versions must say which ones still work. */
export const firstSchemaWithCompatibilityRule = 14;

/** The SQLSTATE of a commit by a program that is too old to write to the tables. */
export const programTooOldSqlState = 'CP003';

/** The setting of a transaction with the schema version that its program knows. */
export const programSchemaSetting = 'coppice.schema';

/** The version of the tables, and the oldest programs that may use them, by the newest version that they know. */
export interface SchemaVersion {
  readonly version: number;
  readonly oldestReader: number;
  readonly oldestWriter: number;
}

/** Reads the version of the tables; null if there are none. Tables from before 14 allow no older program. */
export function* readSchemaVersion(): SqlTask<SchemaVersion | null> {
  const found = yield* queryRow("SELECT to_regclass('coppice_schema') IS NOT NULL AS there");
  if (found?.there !== true) return null;
  // As JSON, because tables of an earlier version lack two of the columns.
  const at = yield* queryRow(
    `SELECT s.version, CAST(to_jsonb(s) ->> 'oldest_reader' AS BIGINT) AS reader,
      CAST(to_jsonb(s) ->> 'oldest_writer' AS BIGINT) AS writer FROM coppice_schema s`,
  );
  if (at === undefined) return null;
  const version = readNumberColumn(at, 'version');
  return {
    version,
    oldestReader: readNumberColumnOrNull(at, 'reader') ?? version,
    oldestWriter: readNumberColumnOrNull(at, 'writer') ?? version,
  };
}

/** Returns the version of the tables; 0 if there are none. */
export function* readSchemaVersionNumber(): SqlTask<number> {
  return (yield* readSchemaVersion())?.version ?? 0;
}

/** Whether a program that knows versions up to `known` may write, or only read. Throws if it may do neither. */
export function decideSchemaAccess(
  schema: SchemaVersion,
  place: string,
  known = newestSchemaVersion,
): 'write' | 'read' {
  if (schema.version <= known || known >= schema.oldestWriter) return 'write';
  if (known >= schema.oldestReader) return 'read';
  throw new AppError({
    code: 'store/newer',
    kind: refusalKinds['store/newer'],
    message: `The database ${place} has tables of version ${schema.version}; this program knows versions up to ${known}, and ${schema.oldestReader} is needed. Update this program; nothing was changed.`,
    data: { ...schema, known },
  });
}

/** Makes the error for a write by a program that may only read. */
export function makeProgramTooOldError(place: string): AppError {
  return new AppError({
    code: 'store/newer',
    kind: refusalKinds['store/newer'],
    message: `The tables of ${place} were changed by a newer Coppice: this program can read them, but must be updated to write.`,
    data: { known: newestSchemaVersion },
  });
}

/** Returns the note for a program that is older than the tables; null for one that is not. */
export function describeOlderProgram({ version }: SchemaVersion, access: 'write' | 'read'): string | null {
  if (version <= newestSchemaVersion) return null;
  const older = `The tables were updated to version ${version}, and this program knows ${newestSchemaVersion}`;
  return access === 'write'
    ? `${older}: it goes on reading and writing until the next version changes them. Update it before that.`
    : `${older}: it can only read. Update it to write.`;
}
