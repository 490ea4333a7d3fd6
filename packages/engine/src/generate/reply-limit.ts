/** Computes the longest reply that fits beside the prompt. */
import { clampReplyTokens } from '@coppice/core/context';
import type { ModelInfo } from '../catalogue/index.ts';

/** The reply limit to send to the provider. */
export interface SentReplyLimit {
  /** Undefined sends no limit; the provider decides. */
  readonly maxTokens: number | undefined;
  /** `short` if a useful reply does not fit; never `short` if the window is unknown. */
  readonly room: 'ok' | 'short';
}

/** If an assumed window leaves fewer tokens than this, it is ignored, because the real window is probably larger. */
const leastAssumedSpace = 1_024;

/**
 * Returns the longest reply for a prompt of about `estimate` tokens. An assumed window limits the reply only while at
 * least 1,024 tokens are left; beyond that the provider decides.
 */
export function computeReplyLimit(
  { window, maxOut, windowKnown, maxOutKnown }: Pick<ModelInfo, 'window' | 'maxOut' | 'windowKnown' | 'maxOutKnown'>,
  asked: number | undefined,
  estimate: number,
): SentReplyLimit {
  if (windowKnown || window - estimate >= leastAssumedSpace) {
    const limit = clampReplyTokens({ asked, maxOut, window, estimate });
    return windowKnown ? limit : { maxTokens: limit.maxTokens, room: 'ok' };
  }
  if (!maxOutKnown) return { maxTokens: asked, room: 'ok' };
  return { maxTokens: Math.min(asked ?? maxOut, maxOut), room: 'ok' };
}
