/** The messages between the page of the demo and its worker. */

/** Messages to the worker: a request, or the cancellation of a request. */
export type WorkerRequest =
  | {
      readonly type: 'request';
      readonly id: number;
      readonly method: string;
      /** The path with its query. */
      readonly address: string;
      readonly headers: readonly (readonly [string, string])[];
      readonly body: ArrayBuffer | null;
    }
  | { readonly type: 'abort'; readonly id: number };

/** Messages to the page: the head of a response, then its chunks, then its end. */
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
