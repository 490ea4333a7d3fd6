import { modelsNow, useAppData } from '../state/app-data.ts';
import type { GenerationOptions } from '../state/generation.ts';

/** How the next replies are wanted, by what is chosen below the composer. */
export function currentOptions(set: Partial<GenerationOptions> = {}): GenerationOptions {
  const lists = useAppData.getState();
  return {
    models: modelsNow(lists),
    n: lists.n,
    temperature: lists.temperature,
    tools: lists.toolsOn ? lists.tools.map((tool) => tool.name) : [],
    ...set,
  };
}
