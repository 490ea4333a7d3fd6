/** What every part of a turn works with, and nothing that belongs to a single one. */
import type { MessageKit, RunContext, Store } from '@coppice/core';
import type { BudgetsConfig } from '../config/contract.ts';
import type { Events } from '../events.ts';
import type { Clock } from '../providers/contract.ts';
import type { Model } from '../providers/index.ts';
import type { SharedTimer } from '../runs/chunk-writer.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import type { Compact, GenerateOptions } from './contract.ts';
import type { GenerateLimits } from './limits.ts';
import type { Spending } from './spending.ts';
import type { YieldToEventLoop } from './yield-to-event-loop.ts';

/** What a turn needs of whoever keeps tools; the registry is one. */
export type ToolSource = Pick<ToolRegistry, 'specs' | 'call'>;

/** Store, models, tools, clock, ids. */
export interface TurnServices {
  readonly store: Store;
  readonly model: (id: string) => Model;
  /** Looks up the window of a model that is not in the catalogue; see `ModelProviders.learnWindow`. */
  readonly learnWindow: ((id: string, signal: AbortSignal) => Promise<void>) | null;
  readonly tools: ToolSource | null;
  readonly events: Events;
  readonly kit: MessageKit;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly yieldToEventLoop: YieldToEventLoop;
  readonly ticks: SharedTimer;
  readonly actor: string;
  /** Names this process in the runs that belong to it. */
  readonly process: string;
  readonly limits: GenerateLimits;
  readonly compact: Compact | null;
  readonly budgets: BudgetsConfig;
  readonly spending: Spending;
}

/** The context of a command that belongs to a turn. */
export function commandContext(services: TurnServices, actId: string, actor: string): RunContext {
  return { actor, actId, now: () => services.clock.now(), newId: services.newId, kit: services.kit };
}

/** What a turn's first commit expects of the tree, from what its caller said. */
export function expectedVersionOf(options: GenerateOptions): Pick<RunContext, 'expectedVersion' | 'onConflict'> {
  const { expectedVersion, onConflict } = options;
  return {
    ...(expectedVersion === undefined ? {} : { expectedVersion }),
    ...(onConflict === undefined ? {} : { onConflict }),
  };
}
