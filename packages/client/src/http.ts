/** Builds URLs of the API and reads its error responses. */
import { type ErrorKind, httpStatusByErrorKind, isErrorKind } from '@coppice/core';
import { fieldsOrEmpty, getText } from '@coppice/core/decode';

const kindsByStatus = new Map<number, ErrorKind>([
  ...Object.keys(httpStatusByErrorKind)
    .filter(isErrorKind)
    .map((kind) => [httpStatusByErrorKind[kind], kind] as const),
  [401, 'refused'],
  [403, 'refused'],
  [412, 'conflict'],
  [429, 'unavailable'],
]);

/** Returns the kind of an error that names none, for example one of a proxy before the server. */
function kindOfStatus(status: number): ErrorKind {
  return (
    kindsByStatus.get(status) ?? (status < 0 ? 'internal' : status === 0 || status >= 500 ? 'unavailable' : 'invalid')
  );
}

/**
 * An error of the server, an unreachable server (`offline`), or an error of the client itself. `code` is the same in
 * all versions, and `kind` says what sort of failure it is.
 */
export class HttpProblem extends Error {
  readonly code: string;
  readonly kind: ErrorKind;
  readonly status: number;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(
    code: string,
    message: string,
    status: number,
    data: Readonly<Record<string, unknown>> = {},
    kind: ErrorKind = kindOfStatus(status),
  ) {
    super(message);
    this.name = 'Problem';
    this.code = code;
    this.kind = kind;
    this.status = status;
    this.data = data;
  }

  /** Whether the server was unreachable. The same request may be sent again later. */
  get offline(): boolean {
    return this.status === 0 || this.status === 502 || this.status === 504;
  }

  /** Whether the request was not authenticated. It can be sent again after the user has signed in. */
  get signedOut(): boolean {
    return this.status === 401;
  }
}

/** Converts a thrown value to an HttpProblem, so that callers handle one type of error. */
export function toHttpProblem(thrown: unknown): HttpProblem {
  if (thrown instanceof HttpProblem) return thrown;
  return new HttpProblem('page/internal', thrown instanceof Error ? thrown.message : String(thrown), -1);
}

/** Returns the message of an error of `fetch`. In Node only its cause says why, such as a refused connection. */
function messageOf(thrown: Error): string {
  return thrown.cause instanceof Error && thrown.cause.message !== '' ? thrown.cause.message : thrown.message;
}

/** Converts the error of a request without a response: an HttpProblem stays, any other error is `page/offline`. */
export function toRequestProblem(thrown: unknown): HttpProblem {
  if (thrown instanceof HttpProblem) return thrown;
  return new HttpProblem(
    'page/offline',
    thrown instanceof Error ? messageOf(thrown) : 'The server cannot be reached.',
    0,
  );
}

/** Builds a URL with a query. Undefined and null values are left out. */
export function buildApiUrl(
  path: string,
  query: Readonly<Record<string, string | number | boolean | null | undefined>> = {},
): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query))
    if (value !== undefined && value !== null) search.set(key, String(value));
  const text = search.toString();
  return text === '' ? path : `${path}?${text}`;
}

/** Returns the error in the body of a response. If the body has another shape, the code is `http/<status>`. */
export function parseProblemBody(body: unknown, status: number): HttpProblem {
  const error = fieldsOrEmpty(fieldsOrEmpty(body).error);
  const code = getText(error, 'code') ?? `http/${status}`;
  const message = getText(error, 'message') ?? `The server answered ${status}.`;
  const data = fieldsOrEmpty(error.data);
  return new HttpProblem(code, message, status, data, isErrorKind(error.kind) ? error.kind : undefined);
}

/** Reads the error from the text of a response. If another program wrote the text, the code is `http/<status>`. */
export function parseProblemText(text: string, status: number): HttpProblem {
  let body: unknown = null;
  try {
    body = JSON.parse(text);
  } catch {
    // Another program answered, such as a proxy.
  }
  return parseProblemBody(body, status);
}

/** Reads the error of a response that is not ok. */
export async function readProblem(response: Response): Promise<HttpProblem> {
  return parseProblemText(await response.text().catch(() => ''), response.status);
}
