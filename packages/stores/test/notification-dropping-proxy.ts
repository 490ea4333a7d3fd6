/** A proxy that forwards everything except notifications: LISTEN succeeds, but no notification arrives. */
import { connect, createServer, type Socket } from 'node:net';
import { PostgresFrameSplitter } from './transaction-pooler.ts';

const notification = 'A'.charCodeAt(0);

export interface NotificationDroppingProxy {
  /** The URL of the database, through the proxy. */
  readonly url: string;
  /** Lets notifications through on connections that are opened after this call. */
  forwardOnNewConnections(): void;
  /** Drops the notifications of the connections that are open now. */
  dropOnOpenConnections(): void;
  close(): Promise<void>;
}

export async function startNotificationDroppingProxy(databaseUrl: string): Promise<NotificationDroppingProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const connections = new Set<{ isDeaf: boolean }>();
  let isDeaf = true;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port || 5432), target.hostname);
    const frames = new PostgresFrameSplitter();
    const connection = { isDeaf };
    connections.add(connection);
    client.once('close', () => connections.delete(connection));
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    upstream.on('data', (bytes) => {
      for (const frame of frames.take(bytes)) if (!connection.isDeaf || frame[0] !== notification) client.write(frame);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(typeof address === 'object' ? address?.port : '');
  return {
    url: url.href,
    forwardOnNewConnections() {
      isDeaf = false;
    },
    dropOnOpenConnections() {
      for (const connection of connections) connection.isDeaf = true;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
