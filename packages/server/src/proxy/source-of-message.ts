import type { JsonObject } from '@coppice/core';

/** Returns the source metadata of a message that a call sent. For earlier replies only the role is known. */
export function sourceOfMessage(role: string): JsonObject {
  return role === 'assistant' ? { type: 'model', provider: 'unknown', model_name: 'unknown' } : { type: 'user' };
}
