/** What was typed and not sent, per tree. It survives a reload; where the browser has no room it lives as long as the page. */
import { read, write } from './kept.ts';

const memory = new Map<string, string>();

/** The draft of a tree. */
export function draftOf(tree: string): string {
  return memory.get(tree) ?? read(`draft.${tree}`) ?? '';
}

/** Keeps the draft of a tree. False where it lives in this page only. */
export function keepDraft(tree: string, text: string): boolean {
  if (text === '') {
    memory.delete(tree);
    return write(`draft.${tree}`, null);
  }
  const kept = write(`draft.${tree}`, text);
  if (kept) memory.delete(tree);
  else memory.set(tree, text);
  return kept;
}
