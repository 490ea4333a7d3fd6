/** Attachments of a draft: uploaded first, then referenced in the message by their hash. */

import { type HttpProblem, toHttpProblem } from '@coppice/client';
import { messageKit } from '@coppice/content';
import type { Block } from '@coppice/core';
import { isFieldMap } from '@coppice/core/decode';
import { formatBytes, t } from '../i18n/index.ts';
import { errorToLine } from '../i18n/refusals.ts';
import { readLocalText, writeLocalText } from '../state/local-storage.ts';
import { pageClient } from '../state/page-client.ts';

/** A file of the next message, with the state of its upload. */
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

/** Whether a file is an image that browsers and models show. */
export function isPicture({ mediaType }: Pick<DraftAttachment, 'mediaType'>): boolean {
  return pictures.test(mediaType);
}

/** Makes an attachment of a file that is not uploaded yet. */
export function createAttachment(file: File): DraftAttachment {
  return {
    id: pageClient.newId(),
    name: file.name || 'file',
    mediaType: file.type || 'application/octet-stream',
    size: file.size,
    state: 'sending',
    hash: null,
    problem: null,
  };
}

/** Uploads a file and returns its new state. */
export async function uploadFile(file: File, attachment: DraftAttachment): Promise<DraftAttachment> {
  try {
    const { hash, size, mediaType } = await pageClient.upload(file);
    return { ...attachment, hash, size, mediaType: mediaType || attachment.mediaType, state: 'ready' };
  } catch (thrown) {
    return { ...attachment, state: 'failed', problem: describeUploadProblem(toHttpProblem(thrown)) };
  }
}

function describeUploadProblem(problem: HttpProblem): string {
  const { most } = problem.data;
  return problem.code === 'http/too-large' && typeof most === 'number'
    ? t('fileTooLarge', { most: formatBytes(most) })
    : errorToLine(problem);
}

/** The block for a file in a message; null until it is uploaded. */
export function blockOfAttachment(file: DraftAttachment): Block | null {
  return file.hash === null ? null : toBlock(file, file.hash);
}

/** The attachment of a block that refers to an upload; an empty list for other blocks. */
export function attachmentsOfBlock(block: Block): readonly DraftAttachment[] {
  const fields: Readonly<Record<string, unknown>> = { ...block };
  const { name, mediaType, source } = fields;
  if (!isFieldMap(source) || typeof mediaType !== 'string') return [];
  return keptFile({ ...source, id: source.hash, mediaType, name: typeof name === 'string' ? name : mediaType });
}

/** The approximate tokens of a file, even before its upload. */
export function estimateAttachmentTokens(file: DraftAttachment): number {
  return messageKit.tokens({ role: 'user', content: [toBlock(file, file.hash ?? '')] });
}

function toBlock({ size, mediaType, name }: DraftAttachment, hash: string): Block {
  const source = { type: 'blob', hash, size };
  const image = { type: 'image', mediaType, source };
  const file = { type: 'file', name, mediaType, source };
  return pictures.test(mediaType) ? image : file;
}

/** The saved files of a tree's draft; files that were not uploaded are lost. */
export function readDraftFiles(tree: string): readonly DraftAttachment[] {
  const text = readLocalText(`draft-files.${tree}`);
  if (text === null) return [];
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.flatMap((each: unknown) => keptFile(each)) : [];
  } catch {
    // Unreadable data is ignored.
    return [];
  }
}

function keptFile(value: unknown): readonly DraftAttachment[] {
  if (!isFieldMap(value)) return [];
  const { id, name, mediaType, size, hash } = value;
  if (typeof id !== 'string' || typeof name !== 'string' || typeof mediaType !== 'string') return [];
  if (typeof size !== 'number' || typeof hash !== 'string') return [];
  return [{ id, name, mediaType, size, hash, state: 'ready', problem: null }];
}

/** Saves the uploaded files of a tree's draft; the server has their bytes. */
export function saveDraftFiles(tree: string, files: readonly DraftAttachment[]): void {
  const ready = files.filter((file) => file.state === 'ready');
  writeLocalText(`draft-files.${tree}`, ready.length === 0 ? null : JSON.stringify(ready));
}
