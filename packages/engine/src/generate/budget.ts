/** Limits the cost of a turn and of a day: checks budgets before a call and adds its cost afterwards. */
import { isAppError } from '@coppice/core';
import { clampReplyTokens } from '@coppice/core/context';
import type { Cost } from '../catalogue/index.ts';
import type { BudgetsConfig } from '../config/contract.ts';
import type { ProviderUsage } from '../providers/contract.ts';
import type { SummaryAllowance } from '../summaries/contract.ts';
import { makeGenerateError } from './errors.ts';
import type { Prompt } from './prompt.ts';
import { type DailyBudgetUse, utcDayOf } from './spending-ledger.ts';
import type { TurnServices } from './turn-services.ts';

/** Budgets without any limit. */
export const noBudgets: BudgetsConfig = { turnUsd: null, dayUsd: null, turnTokens: null };

/** The cost and the tokens of a turn so far. */
export interface TurnSpending {
  usd: number;
  tokens: number;
}

type Prompts = readonly [Prompt, ...Prompt[]];

/** A limit, and how much of it is used. */
interface Budget {
  readonly budget: 'turn_usd' | 'day_usd' | 'person_day_usd' | 'turn_tokens';
  readonly limit: number;
  readonly spent: number;
  /** The amount that running replies may still spend; 0 for the budgets of a turn. */
  readonly reserved: number;
}

/** Prompts that fit the budgets. Call `release` when their replies are written. */
export interface BudgetedPrompts {
  readonly prompts: readonly Prompts[];
  release(): void;
}

/**
 * Limits prompts to the longest reply that the budgets allow, divided among parallel replies. If a model is too
 * expensive, its fallback is used if that is affordable. Throws `generate/budget` if no useful reply is affordable.
 * Dollar limits do not apply to free models and to models with an unknown price. The highest possible cost is reserved
 * for the day, so that concurrent turns do not spend the same amount twice.
 */
export async function limitByBudgets(
  services: TurnServices,
  turn: TurnSpending,
  prompts: readonly Prompts[],
): Promise<BudgetedPrompts> {
  const { budgets, spending, clock, store } = services;
  const day = utcDayOf(clock.now());
  const personLimit = budgets.personDayUsd?.get(store.owner);
  const limitAll = (used: DailyBudgetUse, own: DailyBudgetUse): readonly Prompts[] => {
    const open = openBudgets(budgets, turn, used);
    if (personLimit !== undefined) open.push({ budget: 'person_day_usd', limit: personLimit, ...own });
    return prompts.map((list): Prompts => {
      const fitting = list.map((prompt) => fitToBudget(prompt, open, prompts.length));
      const [first, ...rest] = fitting.filter((prompt) => 'request' in prompt);
      if (first !== undefined) return [first, ...rest];
      const [why] = fitting.filter((prompt) => 'budget' in prompt);
      throw budgetRefusal(why);
    });
  };
  if (budgets.dayUsd === null && personLimit === undefined) {
    const nothing: DailyBudgetUse = { spent: 0, reserved: 0 };
    return { prompts: limitAll(nothing, nothing), release: releaseNothing };
  }
  let fitted = prompts;
  const reserving = spending.reserve(day, store.owner, (used, own) => {
    fitted = limitAll(used, own);
    return highestCostOf(fitted);
  });
  const release = await reserving.catch(throwUnreadable);
  return { prompts: fitted, release: release ?? releaseNothing };
}

function throwUnreadable(error: unknown): never {
  if (isAppError(error)) throw error;
  const why = error instanceof Error ? error.message : String(error);
  throw makeGenerateError('generate/budget', `The amount spent today cannot be read, and day_usd is set: ${why}`);
}

function highestCostOf(prompts: readonly Prompts[]): number {
  return prompts.reduce((sum, list) => sum + Math.max(...list.map(highestCost)), 0);
}

function releaseNothing(): void {
  // No daily budget applies, so nothing was reserved.
}

/** Returns the cost of a reply of the full length; 0 if the price is unknown. */
function highestCost({ model, estimate, request }: Prompt): number {
  const { price } = model.info;
  if (price === null) return 0;
  return (estimate * price.input + (request.maxTokens ?? 0) * price.output) / 1_000_000;
}

function openBudgets(
  { turnUsd, dayUsd, turnTokens }: BudgetsConfig,
  turn: TurnSpending,
  used: DailyBudgetUse,
): Budget[] {
  const open: Budget[] = [];
  if (turnTokens !== null) open.push({ budget: 'turn_tokens', limit: turnTokens, spent: turn.tokens, reserved: 0 });
  if (turnUsd !== null) open.push({ budget: 'turn_usd', limit: turnUsd, spent: turn.usd, reserved: 0 });
  if (dayUsd !== null) open.push({ budget: 'day_usd', limit: dayUsd, ...used });
  return open;
}

function fitToBudget(prompt: Prompt, open: readonly Budget[], replies: number): Prompt | Budget {
  const requestedTokens = prompt.request.maxTokens;
  let most = requestedTokens ?? Number.MAX_SAFE_INTEGER;
  for (const allowance of open) {
    const left = affordableOutput(prompt, allowance, replies);
    const limit = clampReplyTokens({ asked: most, maxOut: most, window: left, estimate: 0 });
    if (left < 1 || limit.room === 'short') return allowance;
    most = limit.maxTokens;
  }
  return most === (requestedTokens ?? Number.MAX_SAFE_INTEGER)
    ? prompt
    : { ...prompt, request: { ...prompt.request, maxTokens: most } };
}

/** Returns how many tokens of a reply the budget can pay for after the prompt. */
function affordableOutput(
  { model, estimate }: Prompt,
  { budget, limit, spent, reserved }: Budget,
  replies: number,
): number {
  const share = (limit - spent - reserved) / replies;
  if (budget === 'turn_tokens') return Math.floor(share - estimate);
  const { price } = model.info;
  if (price === null || (price.input === 0 && price.output === 0)) return Number.MAX_SAFE_INTEGER;
  const million = 1_000_000;
  const left = share - (estimate * price.input) / million;
  if (left <= 0) return 0;
  return price.output === 0 ? Number.MAX_SAFE_INTEGER : Math.floor((left * million) / price.output);
}

const budgetNames = {
  turn_tokens: ['a turn', 'tokens'],
  turn_usd: ['a turn', 'US dollars'],
  day_usd: ['a day', 'US dollars'],
  person_day_usd: ['your day', 'US dollars'],
} as const;

function budgetRefusal(allowance: Budget | undefined): Error {
  if (allowance === undefined) return makeGenerateError('generate/budget', 'The budget is too small for a reply.');
  const { budget, limit, spent, reserved } = allowance;
  const [what, unit] = budgetNames[budget];
  const used = `${Number(spent.toFixed(6))} spent${reserved > 0 ? `, ${Number(reserved.toFixed(6))} reserved for replies that are being written` : ''}`;
  const wait = reserved > 0 ? 'wait for these replies, ' : '';
  const raise = budget === 'person_day_usd' ? 'ask an admin for more' : `raise ${budget} in [budgets]`;
  return makeGenerateError(
    'generate/budget',
    `The budget of ${limit} ${unit} for ${what} is too small for another reply (${used}): ${wait}${raise}, or use a cheaper model or a shorter chat.`,
    // The page has no translation for the budget of one user; without `budget` it shows this sentence.
    { ...(budget === 'person_day_usd' ? {} : { budget }), limit, spent, ...(reserved > 0 ? { reserved } : {}) },
  );
}

/**
 * Adds a model call to the spending of the turn and the day. Does not fail: if the daily total cannot be written, this
 * process counts the amount in memory.
 */
export async function addSpending(
  { store, spending, clock }: TurnServices,
  turn: TurnSpending,
  usage: Omit<ProviderUsage, 'raw'>,
  cost: Cost | null,
): Promise<void> {
  const tokens = usage.inputTokens + usage.outputTokens;
  const usd = cost?.total ?? 0;
  turn.tokens += tokens;
  turn.usd += usd;
  await spending.add(utcDayOf(clock.now()), usd, { owner: store.owner, tokens });
}

/**
 * Creates the budget for the summaries of a turn: they count like its replies, and a summary that the turn cannot
 * afford is not requested. The summarizer charges the daily budget separately.
 */
export function createTurnSummaryBudget(
  { budgets: { turnTokens, turnUsd } }: Pick<TurnServices, 'budgets'>,
  turn: TurnSpending,
): SummaryAllowance {
  // Two parts of a summary may be requested concurrently; the reservation prevents both from spending the same amount.
  const held: TurnSpending = { usd: 0, tokens: 0 };
  return {
    take({ info: { price } }, { inputTokens, outputTokens }) {
      const tokens = inputTokens + outputTokens;
      const usd = price === null ? 0 : (inputTokens * price.input + outputTokens * price.output) / 1_000_000;
      if (turnTokens !== null && turn.tokens + held.tokens + tokens > turnTokens) return null;
      if (turnUsd !== null && usd > 0 && turn.usd + held.usd + usd > turnUsd) return null;
      held.tokens += tokens;
      held.usd += usd;
      return (used, cost) => {
        held.tokens -= tokens;
        held.usd -= usd;
        turn.tokens += used === null ? 0 : used.inputTokens + used.outputTokens;
        turn.usd += cost ?? 0;
      };
    },
  };
}
