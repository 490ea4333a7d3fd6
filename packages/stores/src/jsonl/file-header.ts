/** The first line of a session file of ours. */
import { isReadable, type SessionHeader, sessionVersion } from '@coppice/content/sessions';
import { field } from '../disk/decode.ts';
import { damaged, newer } from '../disk/whole-files.ts';
import type { FileBytes } from './file-bytes.ts';
import { parsedLine } from './heads.ts';
import { headerIn } from './line-text.ts';
import { firstLine, isBlankLine } from './raw-lines.ts';

/** The header of a file and the line it is. Refuses what has none, and what a newer build wrote. */
export function headerOf(path: string, file: FileBytes): { readonly header: SessionHeader; readonly line: number } {
  const { bytes, line: number } = firstLine(file);
  const line = parsedLine(bytes);
  const header = line === undefined ? undefined : headerIn(line);
  if (header === undefined || line === undefined)
    throw damaged(path, isBlankLine(bytes) ? 'is empty' : 'has a first line that is no session header');
  const version = field(line, 'version');
  if (typeof version === 'number' && !isReadable(version)) throw newer(path, version, sessionVersion);
  return { header, line: number };
}
