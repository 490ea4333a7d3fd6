import { stepCheckOf } from './checks.ts';
import { stepKindOf } from './kinds.ts';
import { parseStep } from './parse.ts';
import type { Step, StepDefinition } from './types.ts';

export { invert, isStructural } from './kinds.ts';
export { parseStep, parseSteps, stepTypes } from './parse.ts';

export function stepDefinitionOf(step: Step): StepDefinition<Step> {
  const { type } = step;
  return { ...stepKindOf(step), check: stepCheckOf(step), parse: (json) => parseStep({ ...json, type }) };
}

/** Converts steps to plain JSON values that can be sent or written to a file. */
export function stepsToJson(steps: readonly Step[]): unknown {
  return JSON.parse(JSON.stringify(steps));
}
