/** Fits a reply into the context window of its model: learns the window, and computes the longest reply. */
import { clampReplyTokens } from '@coppice/core/context';
import type { ModelInfo } from '../catalogue/index.ts';
import type { Model } from '../providers/index.ts';
import type { TurnServices } from './turn-services.ts';

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
 * least 1,024 tokens are left; with fewer, only the requested limit and the model's maximum apply.
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

// A shorter chat fits any likely window, so the server is not asked.
const leastTokens = 2_000;

/**
 * Asks local servers for the context windows of models that are not in the catalogue, when a chat is long enough for
 * the window to matter. Failures are ignored.
 */
export async function learnContextWindows(
  { learnWindow }: Pick<TurnServices, 'learnWindow'>,
  models: readonly Model[],
  tokens: number,
  signal: AbortSignal,
): Promise<void> {
  if (learnWindow === null || tokens < leastTokens) return;
  const unknown = new Set(models.filter(({ info }) => !info.windowKnown).map(({ id }) => id));
  await Promise.all([...unknown].map((id) => learnWindow(id, signal)));
}
