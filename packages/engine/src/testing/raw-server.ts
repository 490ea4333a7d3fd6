/** An HTTP server on the loopback interface that sends exactly what a test specifies, valid or not. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A request as the server received it. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

/** Handles a request. It may leave the response unfinished. */
export type RawRequestHandler = (
  request: SeenRequest,
  response: ServerResponse,
  number: number,
) => void | Promise<void>;

export interface RawServer {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  /** How many sockets are open now. */
  readonly sockets: number;
  /** Resolves when at most `most` sockets are open. Closes idle and unused ones. */
  waitForSockets(most?: number): Promise<void>;
  close(): Promise<void>;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces).toString('utf8');
}

/** Starts a server on a free loopback port. */
export async function openRawServer(handler: RawRequestHandler): Promise<RawServer> {
  const requests: SeenRequest[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    response.on('error', ignore);
    void (async () => {
      const seen = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: await bodyOf(request),
      };
      const number = requests.length;
      requests.push(seen);
      await handler(seen, response, number);
    })().catch(ignore);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', ignore);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    get sockets() {
      return sockets.size;
    },
    async waitForSockets(most = 0) {
      while (sockets.size > most) {
        server.closeIdleConnections();
        // After an aborted connection Node's fetch opens another one that it never uses.
        for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function ignore(): void {
  // The client disconnected, as many tests expect.
}
