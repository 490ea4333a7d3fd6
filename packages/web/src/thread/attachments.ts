/** Files on their way into a message: uploaded first, then named in it by their hash. */
import { messageKit } from '@coppice/content';
import type { Block } from '@coppice/core';
import { plainWords } from '../i18n/refusals.ts';
import { asProblem, isJsonRecordValue, upload } from '../state/http.ts';
import { readLocal, writeLocal } from '../state/local-storage.ts';
import { newUuid } from '../state/new-uuid.ts';

/** A file that goes with the next message. */
export interface DraftAttachment {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  readonly size: number;
  readonly state: 'sending' | 'ready' | 'failed';
  readonly hash: string | null;
  readonly problem: string | null;
}

const pictures = /^image\/(?:png|jpeg|gif|webp|avif)$/i;

/** A file that is about to be sent. */
export function attachmentOf(file: File): DraftAttachment {
  return {
    id: newUuid(),
    name: file.name || 'file',
    mediaType: file.type || 'application/octet-stream',
    size: file.size,
    state: 'sending',
    hash: null,
    problem: null,
  };
}

/** Sends a file and says what became of it. */
export async function uploadFile(file: File, attachment: DraftAttachment): Promise<DraftAttachment> {
  try {
    const { hash, size, mediaType } = await upload(file);
    return { ...attachment, hash, size, mediaType: mediaType || attachment.mediaType, state: 'ready' };
  } catch (thrown) {
    return { ...attachment, state: 'failed', problem: plainWords(asProblem(thrown)) };
  }
}

/** The block that stands for a file in a message; none while it is not there. */
export function blockOfAttachment(file: DraftAttachment): Block | null {
  return file.hash === null ? null : toBlock(file, file.hash);
}

/** About how many tokens a file takes, also before it has arrived at the server. */
export function tokensOf(file: DraftAttachment): number {
  return messageKit.tokens({ role: 'user', content: [toBlock(file, file.hash ?? '')] });
}

function toBlock({ size, mediaType, name }: DraftAttachment, hash: string): Block {
  const source = { type: 'blob', hash, size };
  const image = { type: 'image', mediaType, source };
  const file = { type: 'file', name, mediaType, source };
  return pictures.test(mediaType) ? image : file;
}

/** The files that were with a tree's draft; those that have not arrived are no longer to be had. */
export function draftFiles(tree: string): readonly DraftAttachment[] {
  const text = readLocal(`draft-files.${tree}`);
  if (text === null) return [];
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.flatMap((each: unknown) => keptFile(each)) : [];
  } catch {
    // What nobody can read any more is nothing to bring back.
    return [];
  }
}

function keptFile(value: unknown): readonly DraftAttachment[] {
  if (!isJsonRecordValue(value)) return [];
  const { id, name, mediaType, size, hash } = value;
  if (typeof id !== 'string' || typeof name !== 'string' || typeof mediaType !== 'string') return [];
  if (typeof size !== 'number' || typeof hash !== 'string') return [];
  return [{ id, name, mediaType, size, hash, state: 'ready', problem: null }];
}

/** Keeps the files of a tree's draft that have arrived; the server has their bytes. */
export function keepDraftFiles(tree: string, files: readonly DraftAttachment[]): void {
  const ready = files.filter((file) => file.state === 'ready');
  writeLocal(`draft-files.${tree}`, ready.length === 0 ? null : JSON.stringify(ready));
}
