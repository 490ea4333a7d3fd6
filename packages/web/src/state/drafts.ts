/** What was typed and not sent, per tree or per message that is rewritten. It survives a reload; where the browser has no room it lives as long as the page. */
import { readLocal, writeLocal } from './local-storage.ts';

const memory = new Map<string, string>();

/** The draft of a tree, or of whatever else is named. */
export function savedDraft(tree: string): string {
  return memory.get(tree) ?? readLocal(`draft.${tree}`) ?? '';
}

/** Keeps a draft; an empty one is forgotten. False where it lives in this page only. */
export function saveDraft(tree: string, text: string): boolean {
  if (text === '') {
    memory.delete(tree);
    return writeLocal(`draft.${tree}`, null);
  }
  const kept = writeLocal(`draft.${tree}`, text);
  if (kept) memory.delete(tree);
  else memory.set(tree, text);
  return kept;
}
