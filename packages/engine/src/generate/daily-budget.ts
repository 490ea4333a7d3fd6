import type { BudgetsConfig } from '../config/contract.ts';
import type { Clock } from '../providers/contract.ts';
import type { SummaryBudget } from '../summaries/contract.ts';
import { type DailyBudgetUse, type SpendingLedger, utcDayOf } from './spending-ledger.ts';

/** A daily limit, and the record of what was spent. */
export interface DailyBudget {
  readonly budgets: Pick<BudgetsConfig, 'dayUsd'>;
  readonly spending: SpendingLedger;
  readonly clock: Pick<Clock, 'now'>;
  /** The owner of the store, for whom the amount is reserved. */
  readonly owner: string;
}

/**
 * Creates the daily budget for summaries and titles: they count like replies, and a call that would exceed the budget
 * is not made. Undefined if no daily budget is set.
 */
export function createDailySummaryBudget({
  budgets: { dayUsd },
  spending,
  clock,
  owner,
}: DailyBudget): SummaryBudget | undefined {
  if (dayUsd === null) return undefined;
  return {
    async take({ info: { price } }, { inputTokens, outputTokens }) {
      const usd = price === null ? 0 : (inputTokens * price.input + outputTokens * price.output) / 1_000_000;
      const day = utcDayOf(clock.now());
      const isAffordable = ({ spent, reserved }: DailyBudgetUse) => spent < dayUsd && spent + reserved + usd <= dayUsd;
      // If the amount spent cannot be read, nothing more is spent.
      const release = await spending.reserve(day, owner, (used) => (isAffordable(used) ? usd : null)).catch(() => null);
      if (release === null) return null;
      return async (_used, cost) => {
        if (cost !== null && cost > 0) await spending.add(day, cost);
        release();
      };
    },
  };
}
