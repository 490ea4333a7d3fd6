/** The longest reply that a conversation leaves space for. */
import { clampReplyTokens } from '@coppice/core/context';
import type { ModelInfo } from '../catalogue/index.ts';

/** The reply limit to send. */
export interface SentReplyLimit {
  /** Undefined: no limit is sent, the provider decides. */
  readonly maxTokens: number | undefined;
  /** `short`: a useful reply does not fit. Never for an unknown window. */
  readonly room: 'ok' | 'short';
}

/** With less space than this, an assumed window is ignored, because the real one is probably larger. */
const fewestByGuess = 1_024;

/**
 * Computes the longest reply for a prompt of about so many tokens. An assumed window limits the reply only while at
 * least 1,024 tokens are left; after that the provider decides.
 */
export function computeReplyLimit(
  { window, maxOut, windowKnown, maxOutKnown }: Pick<ModelInfo, 'window' | 'maxOut' | 'windowKnown' | 'maxOutKnown'>,
  asked: number | undefined,
  estimate: number,
): SentReplyLimit {
  if (windowKnown || window - estimate >= fewestByGuess) {
    const limit = clampReplyTokens({ asked, maxOut, window, estimate });
    return windowKnown ? limit : { maxTokens: limit.maxTokens, room: 'ok' };
  }
  if (!maxOutKnown) return { maxTokens: asked, room: 'ok' };
  return { maxTokens: Math.min(asked ?? maxOut, maxOut), room: 'ok' };
}
