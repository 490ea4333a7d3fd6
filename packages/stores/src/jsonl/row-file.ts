/** What a list needs of a session, beside its file: safe to delete, and believed only while the file ends as it did. */
import { join } from 'node:path';
import type { ConversationFormat, TreeRow } from '@coppice/core';
import { isAppError } from '@coppice/core';
import { field, isFields, number, object, readRow, rowOf, text } from '../disk/decode.ts';
import { checksum } from '../disk/line-file.ts';
import { bytesOf, lastBytes, readText, statOf, Workbench } from '../disk/whole-files.ts';
import { sideOf } from './places.ts';

/** A session as a list shows it. */
export interface ListedRow {
  readonly row: TreeRow;
  readonly format: ConversationFormat;
  readonly sequence: number;
}

const formatVersion = 2;
const sealed = 256;

function pathOf(session: string): string {
  return join(sideOf(session), 'row.json');
}

function sealOf(session: string): { readonly bytes: number; readonly changed: number; readonly seal: string } | null {
  const stat = statOf(session);
  if (stat == null) return null;
  // Lines that were swapped leave size and end as they were.
  return { bytes: Number(stat.size), changed: Number(stat.mtimeMs), seal: checksum(lastBytes(session, sealed)) };
}

/** The row of a session, if it is that of the file as it is now. */
export function readRowFile(session: string): ListedRow | null {
  try {
    const found = readText(pathOf(session));
    const json: unknown = found === null ? null : JSON.parse(found);
    if (!isFields(json) || field(json, 'formatVersion') !== formatVersion) return null;
    const now = sealOf(session);
    if (now === null || number(json, 'bytes') !== now.bytes || number(json, 'changed') !== now.changed) return null;
    if (text(json, 'seal') !== now.seal) return null;
    const format = field(json, 'format') === 'linear' ? 'linear' : 'tree';
    return { row: readRow(object(json, 'row')), format, sequence: number(json, 'sequence') };
  } catch {
    // It is made of the file again.
    return null;
  }
}

/** Writes the row. A session whose row cannot be written is read from its lines the next time. */
export function writeRowFile(session: string, { row, format, sequence }: ListedRow): void {
  const now = sealOf(session);
  if (now === null) return;
  const json = { format: format, formatVersion, ...now, sequence, row: rowOf(row) };
  try {
    new Workbench(join(sideOf(session), 'making')).replace(
      pathOf(session),
      [bytesOf(`${JSON.stringify(json)}\n`)],
      'session',
      false,
    );
  } catch (error) {
    if (!isAppError(error)) throw error;
  }
}
