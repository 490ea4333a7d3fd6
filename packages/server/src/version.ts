import manifest from '../package.json' with { type: 'json' };

/** The version of Coppice, for the server, the command and the MCP server. */
export const productVersion: string = manifest.version;
