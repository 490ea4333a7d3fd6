/**
 * Unsent text, per tree or per edited message. It survives a reload; without browser storage it is lost with the page.
 */
import { readLocalText, writeLocalText } from './local-storage.ts';

const memory = new Map<string, string>();

/** Reads a draft by its name, usually the id of a tree. Returns an empty text if there is no draft. */
export function readDraft(tree: string): string {
  return memory.get(tree) ?? readLocalText(`draft.${tree}`) ?? '';
}

/** Saves a draft; an empty text removes the draft. Returns false if the browser stored nothing. */
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
