/** Describes what an act did, from its steps. */
import type { Commit, InsertStep, Step } from '@coppice/core';
import { makeCountValue, makePhrase, makeQuoteValue, type Phrase, type PhraseCode } from './phrases.ts';

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
 * Returns what an act did, as parts such as `2 messages` or `a label`, each once, added messages first. Empty if the
 * act changed nothing that a user sees.
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
    const count = makeCountValue(messages.length, 'message');
    parts.push(
      words === undefined
        ? makePhrase('part-messages', { messages: count })
        : makePhrase('part-messages-with-words', { messages: count, words: makeQuoteValue(words) }),
    );
  }
  const count = (kind: InsertStep['node']['kind']) => inserted.filter(({ node }) => node.kind === kind).length;
  const [summaries, compactions] = [count('branch-summary'), count('compaction')];
  const [injected, states] = [count('injected'), count('state')];
  if (summaries > 0) parts.push(makePhrase('part-summaries', { summaries: makeCountValue(summaries, 'summary') }));
  if (compactions > 0)
    parts.push(makePhrase('part-compactions', { compactions: makeCountValue(compactions, 'compaction') }));
  if (injected > 0) parts.push(makePhrase('part-injected', { injected: makeCountValue(injected, 'injected') }));
  if (states > 0) parts.push(makePhrase('part-states', { states: makeCountValue(states, 'state') }));
  return parts;
}

/** Describes a step; if `back` is true, the step is part of an undo, so the act did the opposite. */
function describeStep(step: Step, back: boolean): readonly Phrase[] {
  switch (step.type) {
    case 'remove':
      return [makePhrase(back ? 'part-added' : 'part-deletion')];
    case 'restore':
      return [makePhrase(back ? 'part-deletion' : 'part-restored')];
    case 'move':
      return [makePhrase('part-move')];
    case 'replace':
      return [makePhrase('part-text')];
    case 'bookmark': {
      const mark = step.after ?? step.before;
      return [
        mark === null ? makePhrase('part-some-label') : makePhrase('part-label', { label: makeQuoteValue(mark.title) }),
      ];
    }
    case 'annotate':
      return Object.keys(step.after).map((key) => makePhrase(notePart(key)));
    case 'attributes':
      return Object.keys(step.after).map((key) => makePhrase(attributeParts.get(key) ?? 'part-property'));
    case 'regroup':
      return [makePhrase('part-group')];
    default:
      return [];
  }
}

function notePart(key: string): PhraseCode {
  if (key === 'title' || key === 'autoTitle') return 'part-some-title';
  if (key === 'tags') return 'part-some-tags';
  return key === 'model' ? 'part-branch-model' : 'part-note';
}
