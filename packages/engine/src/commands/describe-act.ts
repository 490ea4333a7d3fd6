/** Describes what an act did, from its steps. */
import type { Commit, InsertStep, Step } from '@coppice/core';
import { countOf, quote } from './format.ts';

const attributeNames: ReadonlyMap<string, string> = new Map([
  ['title', 'the title'],
  ['autoTitle', 'the title'],
  ['model', 'the model'],
  ['tags', 'the tags'],
  ['folder', 'the folder'],
  ['pinned', 'the pin'],
  ['trashedAt', 'the move to the trash'],
]);

/**
 * What an act did, as parts such as `2 messages` or `a label`, most important first. Empty if the act has no lasting
 * effect.
 */
export function describeAct(commits: readonly Commit[]): readonly string[] {
  const steps = commits.flatMap((commit) => commit.steps.map((step) => ({ step, back: commit.kind === 'undo' })));
  const inserted = steps.map(({ step }) => step).filter((step): step is InsertStep => step.type === 'insert');
  const added = new Set<string>(inserted.map(({ node }) => node.id));
  const parts = new Set<string>(additions(inserted));
  for (const { step, back } of steps) {
    // Further changes to a node that the act itself added are part of the addition.
    if ('nodeId' in step && added.has(step.nodeId)) continue;
    const part = describeStep(step, back);
    if (part !== null) parts.add(part);
  }
  return [...parts];
}

function additions(inserted: readonly InsertStep[]): string[] {
  const parts: string[] = [];
  const messages = inserted.filter(({ node }) => node.kind === 'message');
  const [first] = messages;
  if (first !== undefined) {
    const words = messages.find(({ node }) => node.text.trim() !== '')?.node.text;
    parts.push(`${countOf(messages.length, 'message')}${words === undefined ? '' : ` (${quote(words)})`}`);
  }
  for (const [kind, one] of [
    ['branch-summary', 'branch summary'],
    ['compaction', 'compaction'],
    ['injected', 'injected message'],
    ['state', 'state of an extension'],
  ] as const) {
    const count = inserted.filter(({ node }) => node.kind === kind).length;
    if (count > 0) parts.push(countOf(count, one, one.endsWith('y') ? `${one.slice(0, -1)}ies` : `${one}s`));
  }
  return parts;
}

/** `back`: the step is part of an undo, so the act did the opposite. */
function describeStep(step: Step, back: boolean): string | null {
  switch (step.type) {
    case 'remove':
      return back ? 'what was added' : 'a deletion';
    case 'restore':
      return back ? 'a deletion' : 'a restored part';
    case 'move':
      return 'a move';
    case 'replace':
      return 'a change of text';
    case 'bookmark': {
      const mark = step.after ?? step.before;
      return mark === null ? 'a label' : `the label ${quote(mark.title)}`;
    }
    case 'annotate':
      return [...new Set(Object.keys(step.after).map(noteName))].join(' and ');
    case 'attributes': {
      const names = Object.keys(step.after).map((key) => attributeNames.get(key) ?? 'a property of the tree');
      return names.length === 0 ? null : [...new Set(names)].join(' and ');
    }
    case 'regroup':
      return 'a grouping of variants';
    default:
      return null;
  }
}

function noteName(key: string): string {
  if (key === 'title' || key === 'autoTitle') return 'a title';
  if (key === 'tags') return 'tags';
  return key === 'model' ? 'the model of the branch' : 'a note';
}

/** Joins parts to an English list. */
export function joinList(parts: readonly string[]): string {
  if (parts.length < 2) return parts[0] ?? 'a change without lasting effect';
  return `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}
