/** What the page of the demo and its worker send each other. */

/** To the worker: a request, or that the page no longer wants its answer. */
export type WorkerRequest =
  | {
      readonly type: 'request';
      readonly id: number;
      readonly method: string;
      /** Path and query. */
      readonly address: string;
      readonly headers: readonly (readonly [string, string])[];
      readonly body: ArrayBuffer | null;
    }
  | { readonly type: 'abort'; readonly id: number };

/** To the page: the head of a response, then its pieces, then its end. */
export type WorkerResponse =
  | {
      readonly type: 'head';
      readonly id: number;
      readonly status: number;
      readonly headers: readonly (readonly [string, string])[];
      readonly hasBody: boolean;
    }
  | { readonly type: 'piece'; readonly id: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly type: 'end'; readonly id: number; readonly failure: string | null };
