/** The services that all parts of a turn share. */
import type { MessageKit, RunContext, Store } from '@coppice/core';
import type { BudgetsConfig } from '../config/contract.ts';
import type { YieldToEventLoop } from '../event-loop.ts';
import type { EventBus } from '../events.ts';
import type { FileTextExtractor } from '../files/file-text-extractor.ts';
import type { Clock } from '../providers/contract.ts';
import type { Model } from '../providers/index.ts';
import type { SharedTimers } from '../runs/shared-timer.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import type { CompactBelowNode, GenerateOptions } from './contract.ts';
import type { GenerateLimits } from './limits.ts';
import type { SpendingLedger } from './spending-ledger.ts';

/** The part of the tool registry that turns use. */
export type ToolSource = Pick<ToolRegistry, 'specs' | 'call'>;

export interface TurnServices {
  readonly store: Store;
  readonly model: (id: string) => Model;
  /** Looks up the window of a model that is not in the catalogue; see `ModelProviders.learnWindow`. */
  readonly learnWindow: ((id: string, signal: AbortSignal) => Promise<void>) | null;
  readonly tools: ToolSource | null;
  readonly events: EventBus;
  readonly kit: MessageKit;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly yieldToEventLoop: YieldToEventLoop;
  readonly timers: SharedTimers;
  readonly actor: string;
  /** The id of this process, which is stored with its runs. */
  readonly process: string;
  readonly limits: GenerateLimits;
  /** Whether the events of turns are kept in the store for other servers. */
  readonly sharesTurns: () => boolean;
  readonly compact: CompactBelowNode | null;
  readonly budgets: BudgetsConfig;
  readonly spending: SpendingLedger;
  /** Extracts the texts of attachments for models that do not accept the files. */
  readonly fileTexts: FileTextExtractor;
}

/** Builds the context for the commands of a turn. */
export function makeTurnRunContext(services: TurnServices, actId: string, actor: string): RunContext {
  return { actor, actId, now: () => services.clock.now(), newId: services.newId, kit: services.kit };
}

/** Returns the expected version for the first commit of a turn, which the caller may have set. */
export function expectedVersionOf(options: GenerateOptions): Pick<RunContext, 'expectedVersion' | 'onConflict'> {
  const { expectedVersion, onConflict } = options;
  return {
    ...(expectedVersion === undefined ? {} : { expectedVersion }),
    ...(onConflict === undefined ? {} : { onConflict }),
  };
}
