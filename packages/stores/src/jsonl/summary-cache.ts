/**
 * Caches what lists show of a session in a file beside it. The cache can be deleted without a loss. It is valid only
 * while size, time and end of the session file are unchanged.
 */
import { join } from 'node:path';
import type { ConversationFormat, TreeRow } from '@coppice/core';
import { isAppError } from '@coppice/core';
import { finiteNumberField, isFieldMap, objectField, ownField, requiredText } from '@coppice/core/decode';
import { rowOf } from '@coppice/core/tree';
import { AtomicWriter, encodeFileText, readLastBytes, readTextFile, statOrNull } from '../disk/atomic-files.ts';
import { decodeTreeRow } from '../disk/decode.ts';
import { crc32Hex } from '../disk/line-file.ts';
import { sidecarFolderOf } from './paths.ts';

/** What lists show of a session: its tree row, format and change number. */
export interface CachedTreeRow {
  readonly row: TreeRow;
  readonly format: ConversationFormat;
  readonly sequence: number;
}

const formatVersion = 2;
const sealed = 256;

function cachePath(session: string): string {
  return join(sidecarFolderOf(session), 'row.json');
}

function sealOf(session: string): { readonly bytes: number; readonly changed: number; readonly seal: string } | null {
  const stat = statOrNull(session);
  if (stat == null) return null;
  // The time is compared too, because swapped lines change neither the size nor the last bytes of a file.
  return { bytes: Number(stat.size), changed: Number(stat.mtimeMs), seal: crc32Hex(readLastBytes(session, sealed)) };
}

/** Returns the cached data of a session; null if the file has changed since. */
export function readSummaryCache(session: string): CachedTreeRow | null {
  try {
    const found = readTextFile(cachePath(session));
    const json: unknown = found === null ? null : JSON.parse(found);
    if (!isFieldMap(json) || ownField(json, 'formatVersion') !== formatVersion) return null;
    const now = sealOf(session);
    if (
      now === null ||
      finiteNumberField(json, 'bytes') !== now.bytes ||
      finiteNumberField(json, 'changed') !== now.changed
    )
      return null;
    if (requiredText(json, 'seal') !== now.seal) return null;
    const format = ownField(json, 'format') === 'linear' ? 'linear' : 'tree';
    return { row: decodeTreeRow(objectField(json, 'row')), format, sequence: finiteNumberField(json, 'sequence') };
  } catch {
    // An unreadable cache is ignored: the summary is built from the session file.
    return null;
  }
}

/** Writes the cache. Errors are ignored, because the session can be read from its lines. */
export function writeSummaryCache(session: string, { row, format, sequence }: CachedTreeRow): void {
  const now = sealOf(session);
  if (now === null) return;
  const json = { format: format, formatVersion, ...now, sequence, row: rowOf(row) };
  try {
    new AtomicWriter(join(sidecarFolderOf(session), 'making')).replace(
      cachePath(session),
      [encodeFileText(`${JSON.stringify(json)}\n`)],
      'session',
      false,
    );
  } catch (error) {
    if (!isAppError(error)) throw error;
  }
}
