/** Converts errors of PostgreSQL and of the connection to the error codes of Coppice. */

import { AppError, type ErrorKind, isAppError, type RefusalCode, refusalKinds } from '@coppice/core';
import { databaseDividedSqlState, ownerMovedSqlState } from './owner-gate.ts';
import { programTooOldSqlState } from './schema-version.ts';

interface Failing {
  readonly code?: unknown;
  readonly constraint?: unknown;
  readonly message?: unknown;
}

function isFailing(error: unknown): error is Failing {
  return typeof error === 'object' && error !== null;
}

/** Returns the SQLSTATE of an error, or a system code such as ECONNREFUSED; an empty text if it has none. */
export function sqlStateOf(error: unknown): string {
  return isFailing(error) && typeof error.code === 'string' ? error.code : '';
}

/** Returns the name of the constraint that a write violated; an empty text for other errors. */
export function constraintOf(error: unknown): string {
  return isFailing(error) && typeof error.constraint === 'string' ? error.constraint : '';
}

// Socket errors that mean that the server is unreachable.
const network = new Set(
  ['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'ENOENT'].concat([
    'EHOSTUNREACH',
    'ENETUNREACH',
    'ENETDOWN',
    'EADDRNOTAVAIL',
  ]),
);
// Some errors of the driver have no code, so their messages are matched.
const lostSentences =
  /connection terminated|not queryable|connection ended|timeout exceeded when trying to connect|timeout expired|read timeout/i;
const shutdowns = new Set(['57P01', '57P02', '57P03', '57P05', '53300', '53400']);

// PgBouncer answers BEGIN with this if `pool_mode = statement`, where each statement may use another connection.
const statementMode = /statement pooling mode/i;

function isStatementMode(error: unknown): boolean {
  return isFailing(error) && typeof error.message === 'string' && statementMode.test(error.message);
}

/**
 * Whether the connection was lost or could not be opened. The server rolls back the transaction then, unless COMMIT was
 * already sent.
 */
export function isConnectionLost(error: unknown): boolean {
  if (isAppError(error) || isStatementMode(error)) return false;
  const state = sqlStateOf(error);
  if (network.has(state) || shutdowns.has(state) || /^08\w{3}$/.test(state)) return true;
  return isFailing(error) && state === '' && typeof error.message === 'string' && lostSentences.test(error.message);
}

/**
 * Whether a prepared statement no longer fits its tables, because a migration added a column while this program ran.
 */
export function isStatementOutdated(error: unknown): boolean {
  return sqlStateOf(error) === '0A000' && isFailing(error) && /cached plan/i.test(String(error.message));
}

/** Whether the same transaction may succeed if it is planned again. */
export function isTransactionRace(error: unknown): boolean {
  const state = sqlStateOf(error);
  // 23505 is a unique violation: a concurrent transaction created the same tree or forest root, or used an id.
  return state === '40001' || state === '40P01' || state === '23505';
}

function postgresFailure(code: RefusalCode, message: string, cause: unknown, retryable: boolean): AppError {
  const kind: ErrorKind = refusalKinds[code];
  const state = sqlStateOf(cause);
  return new AppError({ code, kind, message, retryable, cause, data: state === '' ? {} : { state } });
}

/**
 * Converts an error of the driver or the server to an AppError. Errors that Coppice itself caused are returned
 * unchanged.
 */
export function toPostgresError(error: unknown, place: string): unknown {
  if (isAppError(error)) return error;
  const state = sqlStateOf(error);
  const said = isFailing(error) && typeof error.message === 'string' ? error.message : String(error);
  if (isStatementMode(error))
    return postgresFailure(
      'store/unavailable',
      `The pooler at ${place} is in statement mode, which allows no transactions. Set pool_mode = transaction in its configuration.`,
      error,
      false,
    );
  if (isConnectionLost(error))
    return postgresFailure('store/unavailable', `The database ${place} cannot be reached: ${said}.`, error, true);
  switch (state) {
    case ownerMovedSqlState:
      return postgresFailure(
        'store/unavailable',
        `The user's data in ${place} is being moved; try again.`,
        error,
        true,
      );
    case databaseDividedSqlState:
      return postgresFailure(
        'store/unavailable',
        `The database ${place} was divided into buckets after this program opened it: restart the program.`,
        error,
        false,
      );
    case programTooOldSqlState:
      return postgresFailure(
        'store/newer',
        `The tables of ${place} were changed by a newer Coppice: this program can read them, but must be updated to write.`,
        error,
        false,
      );
    case '53100':
      return postgresFailure(
        'store/full',
        `The disk of the database ${place} is full; nothing was saved.`,
        error,
        true,
      );
    case '25006':
      return postgresFailure('tree/read-only', `The database ${place} takes no writes: ${said}.`, error, false);
    case '42501':
      return postgresFailure('tree/read-only', `The database user may not do this in ${place}: ${said}.`, error, false);
    case '40001':
    case '40P01':
      return postgresFailure(
        'store/unavailable',
        `Other writes to ${place} conflicted with this one several times. Try again.`,
        error,
        true,
      );
    case '55P03':
      return postgresFailure('store/locked', `The tree is being written in ${place}; try again.`, error, true);
    case '57014':
      return postgresFailure('store/unavailable', `The database ${place} took too long: ${said}.`, error, true);
    case '53000':
    case '53200':
    case '58000':
    case '58030':
      return postgresFailure('store/unavailable', `The database ${place} cannot go on: ${said}.`, error, true);
    case '28000':
    case '28P01':
    case '3D000':
    case '3F000':
      return postgresFailure('store/unavailable', `The database ${place} does not let us in: ${said}.`, error, false);
    case 'XX001':
    case 'XX002':
      return postgresFailure('store/damaged', `The database ${place} is damaged: ${said}.`, error, false);
    case '42P01':
    case '42703':
      return postgresFailure(
        'store/damaged',
        `The database ${place} is missing a part of its tables: ${said}.`,
        error,
        false,
      );
    default:
      // A SQLSTATE has five characters. Any other code points to a defect in Coppice, so the error is not converted.
      if (!/^[0-9A-Z]{5}$/.test(state)) return error;
      if (constraintOf(error) === 'tree_forest')
        return postgresFailure(
          'tree/exists',
          'There is another tree with this system prompt in this project.',
          error,
          false,
        );
      if (state.startsWith('23'))
        return postgresFailure(
          'store/damaged',
          `The rows of ${place} are inconsistent: ${said}. Run coppice fsck.`,
          error,
          false,
        );
      return postgresFailure('store/unavailable', `The database ${place} did not answer: ${said}.`, error, false);
  }
}

/** Makes the error for an id that a tree of another owner has. The planner cannot see such ids. */
export function makeIdTakenError(error: unknown): AppError {
  return postgresFailure('id/taken', 'An id of this write is in use already; choose another.', error, false);
}
