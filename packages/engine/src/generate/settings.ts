import { dirname, isAbsolute, join } from '#platform/system';
import type { BudgetsConfig, Config, SummariesConfig } from '../config/contract.ts';
import { defaultFileToolNames, type FileToolNames } from '../summaries/files.ts';
import { noBudgets } from './budget.ts';
import type { GenerateLimits } from './limits.ts';
import { createFileSpendingLedger, type SpendingLedger } from './spending-ledger.ts';
import type { GenerateDefaults } from './turn-options.ts';

export interface CompactionSettings {
  /** False disables automatic compaction; by default true. */
  readonly automatic?: boolean | undefined;
  readonly fileTools?: FileToolNames | undefined;
}

/** Returns the generator's settings from the operator's configuration. */
export function toGeneratorSettings(
  config: Pick<Config, 'generate' | 'tools'> &
    Partial<Pick<Config, 'compaction' | 'summaries' | 'cheapModel' | 'budgets' | 'file'>>,
): {
  readonly defaults: GenerateDefaults;
  readonly limits: Pick<GenerateLimits, 'rounds' | 'calls' | 'turnMs'>;
  readonly compaction: CompactionSettings;
  readonly summaries: SummariesConfig;
  readonly budgets: BudgetsConfig;
  readonly spending: SpendingLedger | undefined;
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
        ...defaultFileToolNames,
        read: [...defaultFileToolNames.read, ...(config.compaction?.readTools ?? []).map(toLowerCase)],
        change: [...defaultFileToolNames.change, ...(config.compaction?.changeTools ?? []).map(toLowerCase)],
      },
    },
    summaries: { model: config.summaries?.model ?? config.cheapModel },
    budgets: config.budgets ?? noBudgets,
    // In the folder of the configuration file, so that all processes with this configuration share one budget.
    spending:
      config.file && isAbsolute(config.file)
        ? createFileSpendingLedger(join(dirname(config.file), 'spending'))
        : undefined,
  };
}

function toLowerCase(name: string): string {
  return name.toLowerCase();
}
