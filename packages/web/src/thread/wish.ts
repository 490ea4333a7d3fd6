import type { Wish } from '../state/generation.ts';
import { modelsNow, useLists } from '../state/lists.ts';

/** How the next replies are wanted, by what is chosen below the composer. */
export function wishNow(set: Partial<Wish> = {}): Wish {
  const lists = useLists.getState();
  return {
    models: modelsNow(lists),
    n: lists.n,
    temperature: lists.temperature,
    tools: lists.toolsOn ? lists.tools.map((tool) => tool.name) : [],
    ...set,
  };
}
