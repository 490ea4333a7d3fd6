import type { Config } from '../config/contract.ts';
import type { GenerateOptions } from './contract.ts';
import type { GenerateLimits } from './limits.ts';

/** What a turn has unless it says otherwise. */
export type GenerateDefaults = Pick<GenerateOptions, 'temperature' | 'maxTokens' | 'thinking' | 'fallbackModel'>;

/** What the operator's configuration says about turns, for a generator to be made with. */
export function generatorSettings(config: Pick<Config, 'generate' | 'tools'>): {
  readonly defaults: GenerateDefaults;
  readonly limits: Pick<GenerateLimits, 'rounds' | 'calls' | 'turnMs'>;
} {
  const { temperature, maxTokens, thinking, fallbackModel } = config.generate;
  const { rounds, calls, turnMs } = config.tools;
  return {
    defaults: {
      temperature,
      maxTokens,
      fallbackModel,
      thinking: thinking === undefined ? undefined : { effort: thinking },
    },
    limits: { rounds, calls, turnMs },
  };
}

/** Options with what they leave open filled in; what is undefined is open. */
export function withDefaults(options: GenerateOptions, defaults: GenerateDefaults = {}): GenerateOptions {
  return {
    ...options,
    temperature: options.temperature ?? defaults.temperature,
    maxTokens: options.maxTokens ?? defaults.maxTokens,
    thinking: options.thinking ?? defaults.thinking,
    fallbackModel: options.fallbackModel ?? defaults.fallbackModel,
  };
}
