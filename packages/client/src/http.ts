/** Builds URLs of the API and reads its error responses. */

/** An error of the server, or an unreachable server (`offline`). `code` is one of the documented error codes. */
export class HttpProblem extends Error {
  readonly code: string;
  readonly status: number;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, status: number, data: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = 'Problem';
    this.code = code;
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

/** Whether a value is an object or a list, so that its fields can be read. */
export function isObjectValue(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Returns the error in the body of a response. If the body has another shape, the code is `http/<status>`. */
export function parseProblemBody(body: unknown, status: number): HttpProblem {
  const error = isObjectValue(body) && isObjectValue(body.error) ? body.error : {};
  const code = typeof error.code === 'string' ? error.code : `http/${status}`;
  const message = typeof error.message === 'string' ? error.message : `The server answered ${status}.`;
  return new HttpProblem(code, message, status, isObjectValue(error.data) ? error.data : {});
}

/** Reads the error of a response, also if its body is not JSON. */
export async function readProblem(response: Response): Promise<HttpProblem> {
  let body: unknown = null;
  try {
    body = await response.json();
  } catch {
    // The body is not JSON, for example in a response of a proxy.
  }
  return parseProblemBody(body, response.status);
}
