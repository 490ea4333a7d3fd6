/**
 * A pooler that shares one server connection among many clients, one transaction at a time, like PgBouncer in
 * transaction mode. It does not track settings, prepared statements or LISTEN.
 */
import { createServer, type Server, Socket } from 'node:net';
import { Client } from 'pg';

const sslRequest = 80_877_103;
const ready = 'Z'.charCodeAt(0);
const query = 'Q'.charCodeAt(0);
const sync = 'S'.charCodeAt(0);
const terminate = 'X'.charCodeAt(0);
const idle = 'I'.charCodeAt(0);

/** Splits a byte stream into protocol messages: a letter, four bytes of length, and the content. */
export class PostgresFrameSplitter {
  #left: Buffer = Buffer.alloc(0);

  take(bytes: Buffer): Buffer[] {
    this.#left = Buffer.concat([this.#left, bytes]);
    const frames: Buffer[] = [];
    while (this.#left.length >= 5) {
      const size = this.#left.readUInt32BE(1) + 1;
      if (this.#left.length < size) break;
      frames.push(this.#left.subarray(0, size));
      this.#left = this.#left.subarray(size);
    }
    return frames;
  }
}

interface Borrower {
  readonly socket: Socket;
  /** The messages of a client that wait until the server connection is free. */
  waiting: Buffer[];
}

/** A running pooler. */
export interface TransactionPooler {
  /** The URL of a database, through the pooler. */
  readonly url: string;
  close(): Promise<void>;
}

function message(letter: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(letter);
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/**
 * Returns the reply to a new client: the login succeeds, the process id differs from that of the server process, and
 * queries may be sent.
 */
function welcome(): Buffer {
  const key = Buffer.alloc(8);
  key.writeUInt32BE(0x7fff_0000);
  return Buffer.concat([
    message('R', Buffer.from([0, 0, 0, 0])),
    message('S', Buffer.from('server_version\0' + '15.0\0')),
    message('S', Buffer.from('client_encoding\0' + 'UTF8\0')),
    message('K', key),
    message('Z', Buffer.from('I')),
  ]);
}

/** Returns the socket of a connected client, a field that the types of the driver lack. */
function socketOf(client: object): Socket {
  const connection = 'connection' in client ? client.connection : null;
  if (typeof connection === 'object' && connection !== null && 'stream' in connection)
    if (connection.stream instanceof Socket) return connection.stream;
  throw new Error('The driver has no socket.');
}

export async function startTransactionPooler(databaseUrl: string): Promise<TransactionPooler> {
  // The driver logs in; after that, the raw connection is used directly.
  const client = new Client({ connectionString: databaseUrl });
  client.on('error', () => undefined);
  await client.connect();
  const stream = socketOf(client);
  stream.removeAllListeners('data');

  const queue: Borrower[] = [];
  const sockets = new Set<Socket>();
  let borrower: Borrower | null = null;
  let answersDue = 0;

  const lend = (): void => {
    while (borrower === null && queue.length > 0) {
      const next = queue.shift();
      if (next === undefined || next.waiting.length === 0) continue;
      borrower = next;
      forward(next);
    }
  };
  const forward = (to: Borrower): void => {
    for (const frame of to.waiting) {
      if (frame[0] === query || frame[0] === sync) answersDue++;
      stream.write(frame);
    }
    to.waiting = [];
  };
  const answers = new PostgresFrameSplitter();
  stream.on('data', (bytes: Buffer) => {
    for (const frame of answers.take(bytes)) {
      borrower?.socket.write(frame);
      if (frame[0] !== ready) continue;
      answersDue--;
      if (answersDue > 0 || frame[5] !== idle) continue;
      if (borrower !== null && borrower.waiting.length > 0) queue.push(borrower);
      borrower = null;
      lend();
    }
  });

  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    const own: Borrower = { socket, waiting: [] };
    const frames = new PostgresFrameSplitter();
    let begun = false;
    let first = Buffer.alloc(0);
    const greet = (bytes: Buffer): void => {
      first = Buffer.concat([first, bytes]);
      if (first.length < 8 || first.length < first.readUInt32BE(0)) return;
      const size = first.readUInt32BE(0);
      const isSsl = first.readUInt32BE(4) === sslRequest;
      const rest = first.subarray(size);
      first = Buffer.alloc(0);
      if (isSsl) socket.write('N');
      else {
        begun = true;
        socket.write(welcome());
      }
      if (rest.length > 0) hear(rest);
    };
    const hear = (bytes: Buffer): void => {
      if (!begun) return greet(bytes);
      for (const frame of frames.take(bytes)) if (frame[0] !== terminate) own.waiting.push(frame);
      if (own.waiting.length === 0) return;
      if (borrower === own) forward(own);
      else if (!queue.includes(own)) queue.push(own);
      lend();
    };
    socket.on('data', hear);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(typeof address === 'object' && address !== null ? address.port : 0);
  return {
    url: url.href,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      stream.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
