/** What PostgreSQL and the way to it can answer instead of rows, in Coppice's codes. */
import { AppError, type ErrorKind, isAppError, type RefusalCode, refusalKinds } from '@coppice/core';

interface Failing {
  readonly code?: unknown;
  readonly constraint?: unknown;
  readonly message?: unknown;
}

function isFailing(error: unknown): error is Failing {
  return typeof error === 'object' && error !== null;
}

/** The SQLSTATE of an error, or the system's own word such as ECONNREFUSED; the empty text where there is none. */
export function sqlStateOf(error: unknown): string {
  return isFailing(error) && typeof error.code === 'string' ? error.code : '';
}

/** The constraint that a write broke. */
export function constraintOf(error: unknown): string {
  return isFailing(error) && typeof error.constraint === 'string' ? error.constraint : '';
}

// Refused, reset, unreachable, no such name: whatever the socket says when there is nobody to talk to.
const network = new Set(
  ['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN', 'ENOENT'].concat([
    'EHOSTUNREACH',
    'ENETUNREACH',
    'ENETDOWN',
    'EADDRNOTAVAIL',
  ]),
);
// The driver's own sentences have no code.
const lostSentences =
  /connection terminated|not queryable|connection ended|timeout exceeded when trying to connect|timeout expired|read timeout/i;
const shutdowns = new Set(['57P01', '57P02', '57P03', '57P05', '53300', '53400']);

/** Whether the connection is gone or none could be had: a transaction that was not being committed left nothing behind. */
export function isLost(error: unknown): boolean {
  if (isAppError(error)) return false;
  const state = sqlStateOf(error);
  if (network.has(state) || shutdowns.has(state) || /^08\w{3}$/.test(state)) return true;
  return isFailing(error) && state === '' && typeof error.message === 'string' && lostSentences.test(error.message);
}

/** Whether the same transaction may well succeed when it is planned again. */
export function isRace(error: unknown): boolean {
  const state = sqlStateOf(error);
  // A unique key met halfway: the same tree or forest root was made, or an id taken, by a transaction that won.
  return state === '40001' || state === '40P01' || state === '23505';
}

function postgresFailure(code: RefusalCode, message: string, cause: unknown, retryable: boolean): AppError {
  const kind: ErrorKind = refusalKinds[code];
  const state = sqlStateOf(cause);
  return new AppError({ code, kind, message, retryable, cause, data: state === '' ? {} : { state } });
}

/** An error of the driver or the server as Coppice's own: none of them leaves without a code. */
export function toPostgresError(error: unknown, place: string): unknown {
  if (isAppError(error)) return error;
  const state = sqlStateOf(error);
  const said = isFailing(error) && typeof error.message === 'string' ? error.message : String(error);
  if (isLost(error))
    return postgresFailure('store/unavailable', `The database ${place} cannot be reached: ${said}.`, error, true);
  switch (state) {
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
        `Other writes to ${place} kept coming first; try again.`,
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
        `The database ${place} lacks a part of its tables: ${said}.`,
        error,
        false,
      );
    default:
      // A state of the server has five characters: what is none is a defect of ours.
      if (!/^[0-9A-Z]{5}$/.test(state)) return error;
      if (constraintOf(error) === 'tree_forest')
        return postgresFailure(
          'tree/exists',
          'There is another tree with this system prompt in this project.',
          error,
          false,
        );
      if (state.startsWith('23'))
        return postgresFailure('store/damaged', `The rows of ${place} do not fit together: ${said}.`, error, false);
      return postgresFailure('store/unavailable', `The database ${place} did not answer: ${said}.`, error, false);
  }
}

/** The refusal of an id that another tree has, which the planner could not see because that tree is another owner's. */
export function takenError(error: unknown): AppError {
  return postgresFailure('id/taken', 'An id of this write is in use already; choose another.', error, false);
}
