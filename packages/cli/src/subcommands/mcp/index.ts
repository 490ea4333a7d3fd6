import { openCliEngine } from '../../cli-engine.ts';
import { cliVersion } from '../../version.ts';
import { defineSubcommand } from '../contract.ts';

export const mcp = defineSubcommand({
  name: 'mcp',
  summary: 'run an MCP server for agents on standard input and output',
  worksOn: 'own-store',
  insteadOnServer: (server) =>
    `The server is an MCP server itself: point your agent at ${server}/mcp, with the token as a bearer token.`,
  group: 'Chat',
  begins: true,
  options: [{ name: 'read-only', summary: 'offer no tools that make changes' }],
  examples: ['coppice mcp --read-only', 'coppice mcp --store sqlite:/home/me/coppice.db'],
  async run(given, at) {
    const { serveTreesOverStdio } = await import('@coppice/server');
    const cliEngine = await openCliEngine(at);
    await serveTreesOverStdio({
      store: cliEngine.store,
      context: cliEngine.context,
      compactor: cliEngine.compactor,
      readOnly: given.flag('read-only') || (await cliEngine.store.info()).readOnly,
      version: cliVersion,
      signal: at.host.signal,
    });
    return null;
  },
});
