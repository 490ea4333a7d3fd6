import type { ContextAnswer } from '@coppice/client';
import { messageKit } from '@coppice/content';
import { type Node, textMessage } from '@coppice/core';
import { useEffect, useState } from 'react';
import { useAppData } from '../state/app-data.ts';
import { currentGenerationOptions } from '../state/chat-options.ts';
import { useSession, useTree } from '../state/use-session.ts';
import { findRestOfTurn } from './use-turn.ts';

// What the engine adds to the answers: the task, and the tags around each answer.
const taskTokens = 200;
const tokensAroundAnswer = 15;
const tokensPerPrice = 1_000_000;

/**
 * Estimates the highest cost in US dollars of combining answers. Null if the price of the model is unknown, and before
 * the size of their context is known.
 */
export function useCombineCost(picked: readonly Node[], model: string | null, instructions: string): number | null {
  const parent = useParentContext(picked[0]?.parentId ?? null, model);
  const price = useAppData((lists) => lists.models.find((each) => each.id === model)?.price ?? null);
  const topology = useTree((state) => state.topology);
  // The topology is a mutable object: a new stamp renders again, and the topology is read again.
  useTree((state) => state.stamp);
  if (parent === null || parent.cost === null || price === null) return null;
  const answers = picked.map((node) =>
    (topology === null ? [] : findRestOfTurn(topology, node))
      .filter(({ role }) => role === 'assistant')
      .reduce((sum, { tokens }) => sum + tokens, node.tokens + tokensAroundAnswer),
  );
  const added = answers.reduce((sum, tokens) => sum + tokens, taskTokens);
  const written = instructions.trim() === '' ? 0 : messageKit.tokens(textMessage('user', instructions));
  return parent.cost.total + ((added + written) * price.input) / tokensPerPrice;
}

/** The context at the message that the answers reply to, with the cost of a reply by a model. */
function useParentContext(parentId: Node['parentId'], model: string | null): ContextAnswer | null {
  const session = useSession();
  const tools = useAppData(() => (currentGenerationOptions().tools ?? []).join(','));
  const key = [parentId, model, tools].join('\n');
  const [found, setFound] = useState<{ readonly key: string; readonly answer: ContextAnswer } | null>(null);
  useEffect(() => {
    if (parentId === null || model === null) return undefined;
    const stop = new AbortController();
    session.api
      .context(session.treeId, { nodeId: parentId, model, limit: 1, tools }, stop.signal)
      .then((answer) => setFound({ key, answer }))
      .catch(() => undefined);
    return () => stop.abort();
  }, [session, parentId, model, tools, key]);
  return found?.key === key ? found.answer : null;
}
