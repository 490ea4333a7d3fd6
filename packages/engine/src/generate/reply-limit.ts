/** How long a reply may be, and whether the conversation leaves room for one. */
import { clampReply } from '@coppice/core/context';
import type { ModelInfo } from '../catalogue/index.ts';

/** The longest reply to ask for. */
export interface ReplyLimit {
  /** Undefined: no limit is sent, and the provider decides. */
  readonly maxTokens: number | undefined;
  /** `short`: there is no room for a reply worth having. Never where the window is unknown. */
  readonly room: 'ok' | 'short';
}

/** Below this the guess of an unknown window is not applied: the real one is probably larger. */
const fewestByGuess = 1_024;

/**
 * The longest reply for a model that is sent about so many tokens. For a model whose window is unknown the assumed one
 * only limits the reply while it leaves at least 1,024 tokens; after that the provider decides.
 */
export function replyLimit(
  { window, maxOut, windowKnown, maxOutKnown }: Pick<ModelInfo, 'window' | 'maxOut' | 'windowKnown' | 'maxOutKnown'>,
  asked: number | undefined,
  estimate: number,
): ReplyLimit {
  if (windowKnown || window - estimate >= fewestByGuess) {
    const limit = clampReply({ asked, maxOut, window, estimate });
    return windowKnown ? limit : { maxTokens: limit.maxTokens, room: 'ok' };
  }
  if (!maxOutKnown) return { maxTokens: asked, room: 'ok' };
  return { maxTokens: Math.min(asked ?? maxOut, maxOut), room: 'ok' };
}
