/** Interprets reasons for the end of a reply that a wire does not define. Servers that imitate it use their own words. */
import type { Json } from '@coppice/core';
import type { FinishReason } from './contract.ts';

// Matches the names that servers use for a token limit, such as `model_length` and `MAX_TOKENS`.
const lengthLike = /length|max.*tokens|token.*limit|context.*(?:window|exceeded)/i;
// Matches the names for a reply that the server gave up, such as `abort` and `insufficient_system_resource`.
const interruptionLike = /abort|cancel|error|fail|interrupt|insufficient|timeout|unavailable/i;

/**
 * Returns the reason for a value that the wire does not define. A missing value is a normal end. A word that looks like
 * a token limit gives `length`. With any other word, a reply with tool calls ends with them unless the word looks like
 * an interruption; all else is `other`.
 */
export function readUnknownFinishReason(raw: Json, hasCalls: boolean): FinishReason {
  if (typeof raw !== 'string') return hasCalls ? 'tool-use' : 'stop';
  if (lengthLike.test(raw)) return 'length';
  return hasCalls && !interruptionLike.test(raw) ? 'tool-use' : 'other';
}
