/** Replaces the page's module of the same name: sends requests to the worker, and stores addresses in the fragment. */
import type { PageHost } from '@coppice/web/page-host';
import type { WorkerRequest, WorkerResponse } from './protocol.ts';

interface OpenRequest {
  head(message: Extract<WorkerResponse, { type: 'head' }>): void;
  piece(bytes: Uint8Array<ArrayBuffer>): void;
  end(failure: string | null): void;
}

const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
const channel = new MessageChannel();
worker.postMessage(null, [channel.port2]);
const open = new Map<number, OpenRequest>();
let lastId = 0;

channel.port1.onmessage = ({ data }: MessageEvent<WorkerResponse>) => {
  const request = open.get(data.id);
  if (data.type === 'head') request?.head(data);
  else if (data.type === 'piece') request?.piece(data.bytes);
  else {
    open.delete(data.id);
    request?.end(data.failure);
  }
};

function post(message: WorkerRequest): void {
  channel.port1.postMessage(message);
}

/** Answers requests like `fetch`, but from the worker. No request leaves the browser. */
async function fetchFromWorker(request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  const body = request.method === 'GET' || request.method === 'HEAD' ? null : await request.arrayBuffer();
  lastId += 1;
  const id = lastId;
  return new Promise((resolve, reject) => {
    let pieces: ReadableStreamDefaultController<Uint8Array> | null = null;
    const abort = () => {
      open.delete(id);
      post({ type: 'abort', id });
      const reason = new DOMException('The request was aborted.', 'AbortError');
      reject(reason);
      pieces?.error(reason);
    };
    open.set(id, {
      head({ status, headers, hasBody }) {
        const stream = new ReadableStream<Uint8Array>({
          start(controller) {
            pieces = controller;
          },
          cancel: abort,
        });
        const fields = headers.map(([name, value]): [string, string] => [name, value]);
        resolve(new Response(hasBody ? stream : null, { status, headers: fields }));
      },
      piece: (bytes) => pieces?.enqueue(bytes),
      end(failure) {
        request.signal.removeEventListener('abort', abort);
        if (failure === null) return pieces?.close();
        reject(new TypeError(failure));
        pieces?.error(new TypeError(failure));
        return undefined;
      },
    });
    request.signal.addEventListener('abort', abort, { once: true });
    const headers = [...request.headers];
    post({ type: 'request', id, method: request.method, address: pathname + search, headers, body });
    if (request.signal.aborted) abort();
  });
}

/** Downloads go through the worker too, because the host of the site has no API. */
addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  const path = link?.getAttribute('href') ?? '';
  if (link === null || !path.startsWith('/api/')) return;
  event.preventDefault();
  void fetchFromWorker(new Request(new URL(path, location.origin))).then(async (response) => {
    const [, name = 'download'] = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? [];
    const saved = document.createElement('a');
    saved.href = URL.createObjectURL(await response.blob());
    saved.download = name;
    saved.click();
  });
});

export const pageHost: PageHost = {
  fetch: fetchFromWorker,
  addressPrefix: `${location.pathname}#`,
  files: location.pathname.replace(/\/[^/]*$/, ''),
};
