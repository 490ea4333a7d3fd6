import { isAppError, ok, type Result, refused } from '../errors.ts';
import type { RowChange } from '../rows.ts';
import { annotate } from './annotate.ts';
import { attributes } from './attributes.ts';
import { bookmark } from './bookmark.ts';
import { insert } from './insert.ts';
import { move } from './move.ts';
import { isFields, Malformed } from './parse.ts';
import { regroup } from './regroup.ts';
import { remove } from './remove.ts';
import { replace } from './replace.ts';
import { restore } from './restore.ts';
import { select } from './select.ts';
import type { Landing, Step, StepDefinition, StepType } from './types.ts';

const definitions: { readonly [T in StepType]: StepDefinition<Extract<Step, { type: T }>> } = {
  insert,
  remove,
  restore,
  move,
  replace,
  annotate,
  regroup,
  select,
  bookmark,
  attributes,
};

/** The names of the ten kinds of step. */
export const stepTypes: readonly StepType[] = Object.values(definitions).map((definition) => definition.type);

/** The definition of a step's kind. */
export function definitionOf(step: Step): StepDefinition<Step> {
  return definitions[step.type] as StepDefinition<Step>;
}

/** Whether a list of steps changes structure or content, which makes a write that expects an older version stale. */
export function isStructural(steps: readonly Step[]): boolean {
  return steps.some((step) => definitions[step.type].structural);
}

/**
 * The steps that take a commit back, given the version it was committed under. Of a chain that it inserted only the
 * top is removed, the rest goes with it.
 */
export function invert(steps: readonly Step[], version: number): Step[] {
  const inserted = new Set<string>();
  const inverse: Step[] = [];
  for (const step of steps) {
    if (step.type === 'insert') inserted.add(step.node.id);
    if (step.type === 'insert' && step.node.parentId !== null && inserted.has(step.node.parentId)) continue;
    inverse.push(definitionOf(step).invert(step, version));
  }
  return inverse.reverse();
}

/** What a store writes for a commit, in order. Needs no tree: the numbers that the commit assigns are passed in. */
export function rowChanges(steps: readonly Step[], landing: Landing): RowChange[] {
  const changes: RowChange[] = [];
  const { version, at } = landing;
  let { seq } = landing;
  for (const step of steps) {
    for (const change of definitionOf(step).rows(step, { version, seq, at })) changes.push(change);
    if (step.type === 'insert') seq++;
  }
  return changes;
}

/** Reads one step from untrusted JSON. */
export function parseStep(json: unknown): Result<Step> {
  if (!isFields(json) || typeof json.type !== 'string' || !Object.hasOwn(definitions, json.type))
    return refused('step/invalid', `A step has one of the types ${stepTypes.join(', ')}.`);
  try {
    return definitions[json.type as StepType].parse(json);
  } catch (error) {
    if (error instanceof Malformed)
      return refused('step/invalid', `In a step of type ${json.type}: ${error.message}.`, { type: json.type });
    if (isAppError(error)) return { ok: false, refusal: error.toJSON() };
    throw error;
  }
}

/** Reads a list of steps from untrusted JSON; the refusal names the first bad one by its index. */
export function parseSteps(json: unknown): Result<Step[]> {
  if (!Array.isArray(json)) return refused('step/invalid', 'Steps are a list.');
  const steps: Step[] = [];
  for (const [index, item] of json.entries()) {
    const step = parseStep(item);
    if (!step.ok) return { ok: false, refusal: { ...step.refusal, data: { ...step.refusal.data, index } } };
    steps.push(step.value);
  }
  return ok(steps);
}

/** Steps as plain JSON values: what goes over a wire or into a file. */
export function stepsToJson(steps: readonly Step[]): unknown {
  return JSON.parse(JSON.stringify(steps));
}
