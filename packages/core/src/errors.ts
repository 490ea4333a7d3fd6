/** The HTTP status of each kind of failure. */
export const httpStatusByErrorKind = {
  invalid: 400,
  'not-found': 404,
  conflict: 409,
  refused: 422,
  unavailable: 503,
  aborted: 499,
  internal: 500,
} as const;

/**
 * The seven kinds of failure. The kind decides the exit code, and the HTTP status except for the codes that the server
 * lists in `httpErrorCodes`. New codes may be added.
 */
export type ErrorKind = keyof typeof httpStatusByErrorKind;

/** Whether a value is a kind of failure, for errors that come from another process. */
export function isErrorKind(value: unknown): value is ErrorKind {
  return typeof value === 'string' && Object.hasOwn(httpStatusByErrorKind, value);
}

/** Every error code of core with its kind. Codes stay the same across releases; messages may change. */
export const refusalKinds = {
  'tree/unknown-node': 'not-found',
  'tree/unknown-tree': 'not-found',
  'tree/unknown-version': 'not-found',
  'tree/root-protected': 'refused',
  'tree/cycle': 'refused',
  'tree/foreign-parent': 'refused',
  'tree/broken-path': 'refused',
  'tree/not-on-path': 'invalid',
  'tree/version-conflict': 'conflict',
  'tree/version-required': 'invalid',
  'tree/pending': 'refused',
  'tree/has-references': 'refused',
  'tree/read-only': 'refused',
  'tree/branching-off': 'refused',
  'tree/position-taken': 'conflict',
  'tree/exists': 'conflict',
  'tree/invalid': 'invalid',
  'step/invalid': 'invalid',
  'command/invalid': 'invalid',
  'message/blank': 'invalid',
  'message/invalid': 'invalid',
  'message/not-joinable': 'refused',
  'message/not-splittable': 'refused',
  'message/bad-position': 'invalid',
  'message/has-tool-use': 'refused',
  'message/is-tool': 'refused',
  'cursor/invalid': 'invalid',
  'id/invalid': 'invalid',
  'id/taken': 'conflict',
  'undo/nothing': 'refused',
  'undo/overtaken': 'conflict',
  'undo/purged': 'refused',
  'history/trimmed': 'refused',
  'context/full': 'refused',
  'context/nothing-to-compact': 'refused',
  'store/damaged': 'internal',
  'store/newer': 'refused',
  'store/full': 'unavailable',
  'store/locked': 'unavailable',
  'store/unavailable': 'unavailable',
} as const satisfies Record<string, ErrorKind>;

/** One of the codes that core itself uses. */
export type RefusalCode = keyof typeof refusalKinds;

/** Why something was not done: a stable code, a kind, and a message that names the object. */
export interface Refusal {
  readonly code: string;
  readonly kind: ErrorKind;
  readonly message: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The result of a pure function that may refuse. */
export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly refusal: Refusal };

/** Wraps the value of a function that did not refuse. */
export function ok<T>(value: T): Result<T> {
  return { ok: true, value };
}

/** Creates a refusal with one of core's codes; the code determines the kind. */
export function refusal(code: RefusalCode, message: string, data: Readonly<Record<string, unknown>> = {}): Refusal {
  return { code, kind: refusalKinds[code], message, data };
}

/** Creates the result of a function that refuses. */
export function makeRefusedResult(
  code: RefusalCode,
  message: string,
  data: Readonly<Record<string, unknown>> = {},
): { readonly ok: false; readonly refusal: Refusal } {
  return { ok: false, refusal: refusal(code, message, data) };
}

// Symbol.for makes the check work across two copies of this package in one process; instanceof would not.
const marker: unique symbol = Symbol.for('coppice.app-error');

/** The constructor argument of {@link AppError}. `retryable` means that the same call may succeed later. */
export interface AppErrorInit {
  readonly code: string;
  readonly kind: ErrorKind;
  readonly message: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
  readonly retryable?: boolean;
}

/** A refusal as an error that can be thrown, with the same code, kind, message and data. */
export class AppError extends Error implements Refusal {
  readonly code: string;
  readonly kind: ErrorKind;
  readonly data: Readonly<Record<string, unknown>>;
  readonly retryable: boolean;
  readonly [marker] = true;

  constructor(init: AppErrorInit) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
    this.name = 'AppError';
    this.code = init.code;
    this.kind = init.kind;
    this.data = init.data ?? {};
    this.retryable = init.retryable ?? false;
  }

  toJSON(): Refusal {
    return { code: this.code, kind: this.kind, message: this.message, data: this.data };
  }
}

/** Whether a value is an {@link AppError}, even if another copy of this package created it. */
export function isAppError(value: unknown): value is AppError {
  return typeof value === 'object' && value !== null && marker in value;
}

/** Throws a refusal with a code of core. Planners call it before anything is written. */
export function refuse(code: RefusalCode, message: string, data: Readonly<Record<string, unknown>> = {}): never {
  throw new AppError({ code, kind: refusalKinds[code], message, data });
}

/** Returns the value of a result, or throws its refusal as an {@link AppError}. */
export function unwrapResult<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new AppError(result.refusal);
}
