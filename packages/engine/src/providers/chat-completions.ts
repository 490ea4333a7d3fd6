/** Shared by all providers with a chat completions API. */

/** How the key is sent. */
export const bearerKeyHeader = { name: 'authorization', prefix: 'Bearer ' } as const;

/** What is supported besides blocks. */
export const chatSupport = {
  tools: true,
  toolChoice: true,
  thinking: true,
  images: true,
  systemInPlace: true,
  seed: true,
  streaming: true,
} as const;

/** The limits of the parameters. */
export const chatParameters = {
  temperature: { min: 0, max: 2 },
  topP: { min: 0, max: 1 },
  stop: { most: 4 },
  seed: { min: -(2 ** 53 - 1), max: 2 ** 53 - 1 },
} as const;
