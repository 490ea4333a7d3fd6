import type { JsonObject } from '@coppice/core';

/** Returns the author of a message that a call sent. Only the role of an earlier reply is known. */
export function sourceOfMessage(role: string): JsonObject {
  return role === 'assistant' ? { type: 'model', provider: 'unknown', model_name: 'unknown' } : { type: 'user' };
}
