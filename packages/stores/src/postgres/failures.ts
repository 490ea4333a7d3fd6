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

// The name of a constraint on a worker of Citus: it ends with the number of the table's shard. The coordinator passes it
// on within the message alone.
const shardConstraint = /"(\w+)_\d{6,}"/;

/** Returns the name of the constraint that a write violated; an empty text for other errors. */
export function constraintOf(error: unknown): string {
  if (!isFailing(error)) return '';
  if (typeof error.constraint === 'string') return error.constraint.replace(/_\d{6,}$/, '');
  return (typeof error.message === 'string' && shardConstraint.exec(error.message)?.[1]) || '';
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

/** Whether the server refused a connection because all that it allows are in use. */
export function isConnectionLimitReached(error: unknown): boolean {
  return sqlStateOf(error) === '53300';
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

/** What an error means to a caller. */
interface Meaning {
  readonly code: RefusalCode;
  readonly retryable: boolean;
  /** Returns the sentence, from the address of the database and the words of the error. */
  readonly says: (place: string, words: string) => string;
}

/** Describes an error as one code for several states. */
function statesOf(
  states: string,
  code: RefusalCode,
  retryable: boolean,
  says: Meaning['says'],
): readonly (readonly [string, Meaning])[] {
  return states.split(' ').map((state) => [state, { code, retryable, says }]);
}

const meaningOfState: ReadonlyMap<string, Meaning> = new Map([
  ...statesOf(
    ownerMovedSqlState,
    'store/unavailable',
    true,
    (place) => `The user's data in ${place} is being moved; try again.`,
  ),
  ...statesOf(
    databaseDividedSqlState,
    'store/unavailable',
    false,
    (place) => `The database ${place} was divided into buckets after this program opened it: restart the program.`,
  ),
  ...statesOf(
    programTooOldSqlState,
    'store/newer',
    false,
    (place) =>
      `The tables of ${place} were changed by a newer Coppice: this program can read them, but must be updated to write.`,
  ),
  ...statesOf('53100', 'store/full', true, (place) => `The disk of the database ${place} is full; nothing was saved.`),
  ...statesOf('25006', 'tree/read-only', false, (place, words) => `The database ${place} takes no writes: ${words}.`),
  ...statesOf(
    '42501',
    'tree/read-only',
    false,
    (place, words) => `The database user may not do this in ${place}: ${words}.`,
  ),
  ...statesOf(
    '40001 40P01',
    'store/unavailable',
    true,
    (place) => `Other writes to ${place} conflicted with this one several times. Try again.`,
  ),
  ...statesOf('55P03', 'store/locked', true, (place) => `The chat is being written in ${place}; try again.`),
  ...statesOf('57014', 'store/unavailable', true, (place, words) => `The database ${place} took too long: ${words}.`),
  ...statesOf(
    '53000 53200 58000 58030',
    'store/unavailable',
    true,
    (place, words) => `The database ${place} cannot go on: ${words}.`,
  ),
  ...statesOf(
    '28000 28P01 3D000 3F000',
    'store/unavailable',
    false,
    (place, words) =>
      `The database ${place} refused the connection: ${words}. Check the user, the password and the database in its URL.`,
  ),
  ...statesOf('XX001 XX002', 'store/damaged', false, (place, words) => `The database ${place} is damaged: ${words}.`),
  ...statesOf(
    '42P01 42703 42883',
    'store/damaged',
    false,
    (place, words) => `The database ${place} is missing a part of its tables: ${words}.`,
  ),
]);

const statementModeMeaning: Meaning = {
  code: 'store/unavailable',
  retryable: false,
  says: (place) =>
    `The pooler at ${place} is in statement mode, which allows no transactions. Set pool_mode = transaction in its configuration.`,
};

// The driver has no code for this error.
const passwordMissing = /client password must be a string/i;

const passwordMissingMeaning: Meaning = {
  code: 'store/unavailable',
  retryable: false,
  says: (place) =>
    `The database ${place} asks for a password. Put it into the URL, as in postgres://user:password@host/name, or set PGPASSWORD.`,
};

const connectionLostMeaning: Meaning = {
  code: 'store/unavailable',
  retryable: true,
  says: (place, words) =>
    `The database ${place} cannot be reached: ${words}. Check its URL, and that the database server is running.`,
};

const noConnectionMeaning: Meaning = {
  code: 'store/unavailable',
  retryable: true,
  says: (place, words) =>
    `The database ${place} has no free connection: ${words}. Lower pool=… in the URLs of its programs, raise max_connections of the server, or use a pooler.`,
};

const forestTakenMeaning: Meaning = {
  code: 'tree/exists',
  retryable: false,
  says: () => 'There is another tree with this system prompt in this project.',
};

const inconsistentMeaning: Meaning = {
  code: 'store/damaged',
  retryable: false,
  says: (place, words) => `The rows of ${place} are inconsistent: ${words}. Run coppice fsck.`,
};

const otherMeaning: Meaning = {
  code: 'store/unavailable',
  retryable: false,
  says: (place, words) => `The database ${place} did not answer: ${words}.`,
};

/** Returns what an error means; null if it points to a defect in Coppice. */
function meaningOf(error: unknown): Meaning | null {
  if (isStatementMode(error)) return statementModeMeaning;
  if (isConnectionLimitReached(error)) return noConnectionMeaning;
  if (isConnectionLost(error)) return connectionLostMeaning;
  if (isFailing(error) && passwordMissing.test(String(error.message))) return passwordMissingMeaning;
  const state = sqlStateOf(error);
  const known = meaningOfState.get(state);
  if (known !== undefined) return known;
  // A SQLSTATE has five characters. No other code comes from the server.
  if (!/^[0-9A-Z]{5}$/.test(state)) return null;
  if (constraintOf(error) === 'tree_forest') return forestTakenMeaning;
  return state.startsWith('23') ? inconsistentMeaning : otherMeaning;
}

/**
 * Converts an error of the driver or the server to an AppError. Errors that Coppice itself caused are returned
 * unchanged.
 */
export function toPostgresError(error: unknown, place: string): unknown {
  if (isAppError(error)) return error;
  const meaning = meaningOf(error);
  if (meaning === null) return error;
  const words = isFailing(error) && typeof error.message === 'string' ? error.message : String(error);
  return postgresFailure(meaning.code, meaning.says(place, words), error, meaning.retryable);
}

/** Makes the error for an id that a tree of another owner has. The planner cannot see such ids. */
export function makeIdTakenError(error: unknown): AppError {
  return postgresFailure('id/taken', 'An id of this write is in use already; choose another.', error, false);
}
