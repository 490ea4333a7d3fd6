import manifest from '../package.json' with { type: 'json' };

/** The version of Coppice, for the metrics and the MCP server. */
export const productVersion: string = manifest.version;
