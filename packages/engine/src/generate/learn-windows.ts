import type { Model } from '../providers/index.ts';
import type { TurnServices } from './turn-services.ts';

// A conversation below this fits every window that a server is likely to have, and is not worth a question.
const worthAsking = 2_000;

/**
 * Looks up the windows of models that no catalogue knows, where a local server tells them, once a conversation is long
 * enough to matter. What cannot be learnt keeps nobody from going on.
 */
export async function learnWindows(
  { learnWindow }: Pick<TurnServices, 'learnWindow'>,
  models: readonly Model[],
  tokens: number,
  signal: AbortSignal,
): Promise<void> {
  if (learnWindow === null || tokens < worthAsking) return;
  const unknown = new Set(models.filter(({ info }) => !info.windowKnown).map(({ id }) => id));
  await Promise.all([...unknown].map((id) => learnWindow(id, signal)));
}
