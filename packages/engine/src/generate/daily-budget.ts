import type { BudgetsConfig } from '../config/contract.ts';
import type { Clock } from '../providers/contract.ts';
import type { SummaryBudget } from '../summaries/contract.ts';
import { dayOf, type Spending } from './spending.ts';

/** What a daily budget is checked against. */
export interface DailyBudget {
  readonly budgets: Pick<BudgetsConfig, 'dayUsd'>;
  readonly spending: Spending;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * The daily budget for summaries and titles: they count like replies, and a call that would exceed it is not made.
 * Undefined where no daily budget is set.
 */
export function dailySummaryBudget({ budgets: { dayUsd }, spending, clock }: DailyBudget): SummaryBudget | undefined {
  if (dayUsd === null) return undefined;
  // Calls that run at the same time must not count on the same dollars.
  let reserved = 0;
  return {
    async take({ info: { price } }, { inputTokens, outputTokens }) {
      const usd = price === null ? 0 : (inputTokens * price.input + outputTokens * price.output) / 1_000_000;
      const day = dayOf(clock.now());
      reserved += usd;
      // Where nobody can tell what was spent, nothing more is.
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
