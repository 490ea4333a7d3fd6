/** One door to the server: addresses, versions, refusals. */

/** A refusal, or the silence of a server that is not there (`offline`). */
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

  /** Whether nothing was heard, so that the same request may be sent again later. */
  get offline(): boolean {
    return this.status === 0 || this.status === 502 || this.status === 504;
  }
}

/** Anything thrown as a problem to show. */
export function asProblem(thrown: unknown): HttpProblem {
  if (thrown instanceof HttpProblem) return thrown;
  return new HttpProblem('page/internal', thrown instanceof Error ? thrown.message : String(thrown), -1);
}

/** An address with its query; values that are not given are left out. */
export function apiAddress(
  path: string,
  query: Readonly<Record<string, string | number | boolean | null | undefined>> = {},
): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query))
    if (value !== undefined && value !== null) search.set(key, String(value));
  const text = search.toString();
  return text === '' ? path : `${path}?${text}`;
}

/** Whether a value has fields to look at. */
export function isJsonRecordValue(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** A refusal as it is in the body of an answer; where it is none of ours, the status says what there is to say. */
export function problemFrom(body: unknown, status: number): HttpProblem {
  const error = isJsonRecordValue(body) && isJsonRecordValue(body.error) ? body.error : {};
  const code = typeof error.code === 'string' ? error.code : `http/${status}`;
  const message = typeof error.message === 'string' ? error.message : `The server answered ${status}.`;
  return new HttpProblem(code, message, status, isJsonRecordValue(error.data) ? error.data : {});
}

async function problemOfAnswer(response: Response): Promise<HttpProblem> {
  let body: unknown = null;
  try {
    body = await response.json();
  } catch {
    // Not one of our own answers.
  }
  return problemFrom(body, response.status);
}

/** Sends the bytes of a file and gives what the server knows of them. */
export async function upload(
  file: Blob,
  signal?: AbortSignal,
): Promise<{ readonly hash: string; readonly size: number; readonly mediaType: string }> {
  let response: Response;
  try {
    response = await fetch('/api/attachments', {
      method: 'POST',
      headers: { 'content-type': file.type || 'application/octet-stream' },
      body: file,
      credentials: 'same-origin',
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (thrown) {
    throw new HttpProblem(
      'page/offline',
      thrown instanceof Error ? thrown.message : 'The server cannot be reached.',
      0,
    );
  }
  if (!response.ok) throw await problemOfAnswer(response);
  return response.json();
}
