/** What a list needs of a session, beside its file: safe to delete, and believed only while the file ends as it did. */
import { join } from 'node:path';
import type { ConversationFormat, TreeRow } from '@coppice/core';
import { isAppError } from '@coppice/core';
import { AtomicWriter, bytesOfFile, lastBytes, readTextFile, statOrNull } from '../disk/atomic-files.ts';
import { decodeRow, diskField, diskNumber, diskObject, diskRow, diskText, isDiskFields } from '../disk/decode.ts';
import { checksum } from '../disk/line-file.ts';
import { sidecarFolder } from './paths.ts';

/** A session as a list shows it. */
export interface CachedSummary {
  readonly row: TreeRow;
  readonly format: ConversationFormat;
  readonly sequence: number;
}

const formatVersion = 2;
const sealed = 256;

function cachePath(session: string): string {
  return join(sidecarFolder(session), 'row.json');
}

function sealOf(session: string): { readonly bytes: number; readonly changed: number; readonly seal: string } | null {
  const stat = statOrNull(session);
  if (stat == null) return null;
  // Lines that were swapped leave size and end as they were.
  return { bytes: Number(stat.size), changed: Number(stat.mtimeMs), seal: checksum(lastBytes(session, sealed)) };
}

/** The row of a session, if it is that of the file as it is now. */
export function readSummaryCache(session: string): CachedSummary | null {
  try {
    const found = readTextFile(cachePath(session));
    const json: unknown = found === null ? null : JSON.parse(found);
    if (!isDiskFields(json) || diskField(json, 'formatVersion') !== formatVersion) return null;
    const now = sealOf(session);
    if (now === null || diskNumber(json, 'bytes') !== now.bytes || diskNumber(json, 'changed') !== now.changed)
      return null;
    if (diskText(json, 'seal') !== now.seal) return null;
    const format = diskField(json, 'format') === 'linear' ? 'linear' : 'tree';
    return { row: decodeRow(diskObject(json, 'row')), format, sequence: diskNumber(json, 'sequence') };
  } catch {
    // It is made of the file again.
    return null;
  }
}

/** Writes the row. A session whose row cannot be written is read from its lines the next time. */
export function writeSummaryCache(session: string, { row, format, sequence }: CachedSummary): void {
  const now = sealOf(session);
  if (now === null) return;
  const json = { format: format, formatVersion, ...now, sequence, row: diskRow(row) };
  try {
    new AtomicWriter(join(sidecarFolder(session), 'making')).replace(
      cachePath(session),
      [bytesOfFile(`${JSON.stringify(json)}\n`)],
      'session',
      false,
    );
  } catch (error) {
    if (!isAppError(error)) throw error;
  }
}
