import type { Model } from '../providers/index.ts';
import type { TurnServices } from './turn-services.ts';

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
