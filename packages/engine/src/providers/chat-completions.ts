/** Definitions that all providers with a chat completions API share. */

/** The header in which these providers expect the key. */
export const bearerKeyHeader = { name: 'authorization', prefix: 'Bearer ' } as const;

/** The features that these providers support; each adds its block types. */
export const chatSupport = {
  tools: true,
  toolChoice: true,
  thinking: true,
  images: true,
  systemInPlace: true,
  seed: true,
  streaming: true,
} as const;

/** The ranges of the parameters that these providers accept. */
export const chatParameters = {
  temperature: { min: 0, max: 2 },
  topP: { min: 0, max: 1 },
  stop: { most: 4 },
  seed: { min: -(2 ** 53 - 1), max: 2 ** 53 - 1 },
} as const;
