// Starts a server, prints its URL, and waits to be killed.
import { PostgresServer } from './postgres-server.ts';

const server = await PostgresServer.start();
console.log(server.folder);
setInterval(() => undefined, 1_000);
