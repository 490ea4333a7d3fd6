// Starts a server, prints its folder, and runs until it is killed.
import { PostgresServer } from './postgres-server.ts';

const server = await PostgresServer.start();
console.log(server.folder);
setInterval(() => undefined, 1_000);
