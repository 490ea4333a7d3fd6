/** Starts the given MCP servers, prints that they run, and waits to be killed or exits as requested. */
import { makeMcpClient, makeMcpConfig } from '../src/testing/mcp.ts';

const [, , commands = '{}', ending = 'wait'] = process.argv;
const client = makeMcpClient(makeMcpConfig(JSON.parse(commands)));
await client.start();
process.stdout.write(`${client.servers().map((server) => server.status)}\n`);
if (ending === 'exit') process.exit(0);
if (ending === 'close') await client.close();
