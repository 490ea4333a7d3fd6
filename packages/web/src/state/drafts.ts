/**
 * Unsent text, per tree or per edited message. It survives a reload; without browser storage it is lost with the page.
 */
import { readLocalText, writeLocalText } from './local-storage.ts';

const memory = new Map<string, string>();

/** Reads the draft with a name, usually that of a tree. */
export function readDraft(tree: string): string {
  return memory.get(tree) ?? readLocalText(`draft.${tree}`) ?? '';
}

/** Saves a draft; an empty one is removed. False if it is kept only in this page. */
export function saveDraft(tree: string, text: string): boolean {
  if (text === '') {
    memory.delete(tree);
    return writeLocalText(`draft.${tree}`, null);
  }
  const kept = writeLocalText(`draft.${tree}`, text);
  if (kept) memory.delete(tree);
  else memory.set(tree, text);
  return kept;
}
