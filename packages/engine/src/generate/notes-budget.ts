import type { BudgetsConfig } from '../config/contract.ts';
import type { Clock } from '../providers/contract.ts';
import type { PickModel } from '../summaries/contract.ts';
import type { SummarizerOptions } from '../summaries/summarizer.ts';
import { generateError } from './errors.ts';
import { dayOf, type Spending } from './spending.ts';

/** What a day's budget goes by. */
export interface DayBudget {
  readonly budgets: Pick<BudgetsConfig, 'dayUsd'>;
  readonly spending: Spending;
  readonly clock: Pick<Clock, 'now'>;
}

/** Notes count for a day's budget as replies do; once it is spent they are drawn from the messages. */
export function withinDay(
  pick: PickModel,
  { budgets: { dayUsd }, spending, clock }: DayBudget,
): Pick<SummarizerOptions, 'model' | 'onSpent'> {
  if (dayUsd === null) return { model: pick };
  return {
    async model(near) {
      if ((await spending.on(dayOf(clock.now()))) >= dayUsd)
        throw generateError('generate/budget', `The budget of ${dayUsd} USD for a day is spent.`);
      return pick(near);
    },
    onSpent: (usd) => spending.add(dayOf(clock.now()), usd),
  };
}
