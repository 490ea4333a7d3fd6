/** Files on their way into a message: uploaded first, then named in it by their hash. */
import type { Block } from '@coppice/core';
import { asProblem, upload } from '../state/http.ts';

/** A file that goes with the next message. */
export interface Attachment {
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
export function attachmentOf(file: File): Attachment {
  return {
    id: crypto.randomUUID(),
    name: file.name || 'file',
    mediaType: file.type || 'application/octet-stream',
    size: file.size,
    state: 'sending',
    hash: null,
    problem: null,
  };
}

/** Sends a file and says what became of it. */
export async function sendFile(file: File, attachment: Attachment): Promise<Attachment> {
  try {
    const { hash, size, mediaType } = await upload(file);
    return { ...attachment, hash, size, mediaType: mediaType || attachment.mediaType, state: 'ready' };
  } catch (thrown) {
    return { ...attachment, state: 'failed', problem: asProblem(thrown).message };
  }
}

/** The block that stands for a file in a message; none while it is not there. */
export function blockOf({ hash, size, mediaType, name }: Attachment): Block | null {
  if (hash === null) return null;
  const source = { type: 'blob', hash, size };
  const image = { type: 'image', mediaType, source };
  const file = { type: 'file', name, mediaType, source };
  return pictures.test(mediaType) ? image : file;
}
