/** Describes what an act did, from its steps. */
import type { Commit, InsertStep, Step } from '@coppice/core';
import { counted, type Phrase, type PhraseCode, phrase, quoted } from './phrases.ts';

const attributeParts: ReadonlyMap<string, PhraseCode> = new Map([
  ['title', 'part-title'],
  ['autoTitle', 'part-title'],
  ['model', 'part-model'],
  ['tags', 'part-tags'],
  ['folder', 'part-folder'],
  ['pinned', 'part-pin'],
  ['trashedAt', 'part-trash'],
]);

/**
 * What an act did, as parts such as `2 messages` or `a label`, most important first, each once. Empty if the act has no
 * lasting effect.
 */
export function describeAct(commits: readonly Commit[]): readonly Phrase[] {
  const steps = commits.flatMap((commit) => commit.steps.map((step) => ({ step, back: commit.kind === 'undo' })));
  const inserted = steps.map(({ step }) => step).filter((step): step is InsertStep => step.type === 'insert');
  const added = new Set<string>(inserted.map(({ node }) => node.id));
  const parts = new Map<string, Phrase>();
  const add = (part: Phrase) => parts.set(JSON.stringify(part), part);
  for (const part of describeInserts(inserted)) add(part);
  for (const { step, back } of steps) {
    // Further changes to a node that the act itself added are part of the addition.
    if ('nodeId' in step && added.has(step.nodeId)) continue;
    for (const part of describeStep(step, back)) add(part);
  }
  return [...parts.values()];
}

function describeInserts(inserted: readonly InsertStep[]): Phrase[] {
  const parts: Phrase[] = [];
  const messages = inserted.filter(({ node }) => node.kind === 'message');
  if (messages.length > 0) {
    const words = messages.find(({ node }) => node.text.trim() !== '')?.node.text;
    const count = counted(messages.length, 'message');
    parts.push(
      words === undefined
        ? phrase('part-messages', { messages: count })
        : phrase('part-messages-with-words', { messages: count, words: quoted(words) }),
    );
  }
  const count = (kind: InsertStep['node']['kind']) => inserted.filter(({ node }) => node.kind === kind).length;
  const [summaries, compactions] = [count('branch-summary'), count('compaction')];
  const [injected, states] = [count('injected'), count('state')];
  if (summaries > 0) parts.push(phrase('part-summaries', { summaries: counted(summaries, 'summary') }));
  if (compactions > 0) parts.push(phrase('part-compactions', { compactions: counted(compactions, 'compaction') }));
  if (injected > 0) parts.push(phrase('part-injected', { injected: counted(injected, 'injected') }));
  if (states > 0) parts.push(phrase('part-states', { states: counted(states, 'state') }));
  return parts;
}

/** `back`: the step is part of an undo, so the act did the opposite. */
function describeStep(step: Step, back: boolean): readonly Phrase[] {
  switch (step.type) {
    case 'remove':
      return [phrase(back ? 'part-added' : 'part-deletion')];
    case 'restore':
      return [phrase(back ? 'part-deletion' : 'part-restored')];
    case 'move':
      return [phrase('part-move')];
    case 'replace':
      return [phrase('part-text')];
    case 'bookmark': {
      const mark = step.after ?? step.before;
      return [mark === null ? phrase('part-some-label') : phrase('part-label', { label: quoted(mark.title) })];
    }
    case 'annotate':
      return Object.keys(step.after).map((key) => phrase(notePart(key)));
    case 'attributes':
      return Object.keys(step.after).map((key) => phrase(attributeParts.get(key) ?? 'part-property'));
    case 'regroup':
      return [phrase('part-group')];
    default:
      return [];
  }
}

function notePart(key: string): PhraseCode {
  if (key === 'title' || key === 'autoTitle') return 'part-some-title';
  if (key === 'tags') return 'part-some-tags';
  return key === 'model' ? 'part-branch-model' : 'part-note';
}
