import { dirname, isAbsolute, join } from 'node:path';
import type { BudgetsConfig, Config, SummariesConfig } from '../config/contract.ts';
import { defaultFileTools, type FileTools } from '../summaries/files.ts';
import { noBudgets } from './budget.ts';
import type { GenerateOptions } from './contract.ts';
import type { GenerateLimits } from './limits.ts';
import { fileSpending, type Spending } from './spending.ts';

/** What a turn has unless it says otherwise. */
export type GenerateDefaults = Pick<GenerateOptions, 'temperature' | 'maxTokens' | 'thinking' | 'fallbackModel'>;

/** How a generator makes room. */
export interface CompactionSettings {
  /** False leaves windows that are full to the user; true if not given. */
  readonly automatic?: boolean | undefined;
  readonly fileTools?: FileTools | undefined;
}

/** What the operator's configuration says about turns, for a generator to be made with. */
export function generatorSettings(
  config: Pick<Config, 'generate' | 'tools'> &
    Partial<Pick<Config, 'compaction' | 'summaries' | 'cheapModel' | 'budgets' | 'file'>>,
): {
  readonly defaults: GenerateDefaults;
  readonly limits: Pick<GenerateLimits, 'rounds' | 'calls' | 'turnMs'>;
  readonly compaction: CompactionSettings;
  readonly summaries: SummariesConfig;
  readonly budgets: BudgetsConfig;
  readonly spending: Spending | undefined;
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
    compaction: {
      automatic: config.compaction?.automatic ?? true,
      fileTools: {
        ...defaultFileTools,
        read: [...defaultFileTools.read, ...(config.compaction?.readTools ?? []).map(small)],
        change: [...defaultFileTools.change, ...(config.compaction?.changeTools ?? []).map(small)],
      },
    },
    summaries: { model: config.summaries?.model ?? config.cheapModel },
    budgets: config.budgets ?? noBudgets,
    // Beside the file that sets the budget, so that every process that keeps to it reads the same book.
    spending: config.file && isAbsolute(config.file) ? fileSpending(join(dirname(config.file), 'spending')) : undefined,
  };
}

function small(name: string): string {
  return name.toLowerCase();
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
