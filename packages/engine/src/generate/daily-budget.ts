import type { BudgetsConfig } from '../config/contract.ts';
import type { Clock } from '../providers/contract.ts';
import type { SummaryBudget } from '../summaries/contract.ts';
import { dayOf, type Spending } from './spending.ts';

/** The services that a daily budget needs. */
export interface DailyBudget {
  readonly budgets: Pick<BudgetsConfig, 'dayUsd'>;
  readonly spending: Spending;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * The daily budget for summaries and titles: they count like replies, and a call that would exceed it is not made.
 * Undefined if no daily budget is set.
 */
export function dailySummaryBudget({ budgets: { dayUsd }, spending, clock }: DailyBudget): SummaryBudget | undefined {
  if (dayUsd === null) return undefined;
  // Reserved by running calls, so that they do not spend the same budget twice.
  let reserved = 0;
  return {
    async take({ info: { price } }, { inputTokens, outputTokens }) {
      const usd = price === null ? 0 : (inputTokens * price.input + outputTokens * price.output) / 1_000_000;
      const day = dayOf(clock.now());
      reserved += usd;
      // If the amount spent cannot be read, nothing more is spent.
      const spent = await spending.on(day).catch(() => Number.POSITIVE_INFINITY);
      if (spent >= dayUsd || spent + reserved > dayUsd) {
        reserved -= usd;
        return null;
      }
      return async (_used, cost) => {
        if (cost !== null && cost > 0) await spending.add(day, cost);
        reserved -= usd;
      };
    },
  };
}
