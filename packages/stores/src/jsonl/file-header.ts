/** The first line of a session file of ours. */
import { derivedId } from '@coppice/content';
import { isReadable, type SessionHeader, type SessionWarning, sessionVersion } from '@coppice/content/sessions';
import { field } from '../disk/decode.ts';
import { damaged, newer } from '../disk/whole-files.ts';
import { chunkSize, type FileBytes } from './file-bytes.ts';
import { headIn, parsedLine } from './heads.ts';
import type { LinePlace } from './line-table.ts';
import { headerIn } from './line-text.ts';
import { idInName } from './places.ts';
import { eachLine, firstLine, isBlankLine } from './raw-lines.ts';

/** A header, and where it is in its file. */
export interface FoundHeader {
  readonly header: SessionHeader;
  readonly at: LinePlace;
  /** What is wrong, if it is not in the first line. */
  readonly warning: SessionWarning | null;
}

/**
 * The header of a file. One that is not in the first line is looked for, and one that is lost is made of what the entries
 * say. Refuses a file whose first line cannot be read or is no entry of ours, and one that a newer build wrote.
 */
export function headerOf(path: string, file: FileBytes): FoundHeader {
  const { bytes, line: number, offset } = firstLine(file);
  const line = parsedLine(bytes);
  const header = line === undefined ? undefined : headerIn(line);
  if (header === undefined || line === undefined) {
    if (isBlankLine(bytes)) throw damaged(path, 'is empty');
    return (line === undefined ? null : searched(path, file)) ?? refused(path);
  }
  const version = field(line, 'version');
  if (typeof version === 'number' && !isReadable(version)) throw newer(path, version, sessionVersion);
  return { header, at: { line: number, offset, length: bytes.length }, warning: null };
}

const nowhere: LinePlace = { line: 0, offset: 0, length: 0 };

function refused(path: string): never {
  throw damaged(path, 'has a first line that is no session header');
}

/** The header in another line than the first, or one that is made of the entries; null where there are none of ours. */
function searched(path: string, file: FileBytes): FoundHeader | null {
  const ids = new Set<string>();
  const parents = new Set<string>();
  let found: FoundHeader | null = null;
  let number = 0;
  const take = (bytes: Buffer, offset: number) => {
    number++;
    const line = found === null ? parsedLine(bytes) : undefined;
    const head = line === undefined ? null : headIn(line);
    if (line === undefined || head === null) return;
    const header = headerIn(line);
    if (header !== undefined) {
      const message = `The header stands in line ${number}, behind entries.`;
      const warning = { code: 'order', message, line: number, offset, uuid: header.uuid } as const;
      found = { header, at: { line: number, offset, length: bytes.length }, warning };
    }
    ids.add(head.uuid);
    if (head.parentUuid !== null && field(line, 'uuid') !== undefined) parents.add(head.parentUuid);
  };
  const { rest, offset } = eachLine(file, 0, file.size(), () => false, take);
  if (rest !== null && rest.length < chunkSize) take(rest, offset);
  if (found !== null) return found;
  // What the first entries hang on and no line is, was the header.
  if (parents.size === 0) return null;
  const uuid = [...parents].find((parent) => !ids.has(parent)) ?? derivedId('session-header', path);
  const id = idInName(path) ?? uuid;
  const header: SessionHeader = { type: 'session', version: sessionVersion, uuid, parentUuid: null, id };
  const message = 'The header is missing: the session is shown without its folder and owner.';
  return { header, at: nowhere, warning: { code: 'lost', message, line: 1, offset: 0 } };
}
