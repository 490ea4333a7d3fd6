/** Reads the header line of a session file of version 2. */
import { deriveId } from '@coppice/content';
import { isReadableVersion, type SessionHeader, type SessionWarning, sessionVersion } from '@coppice/content/sessions';
import { ownField } from '@coppice/core/decode';
import { makeDamagedFileError, makeNewerFormatError } from '../disk/atomic-files.ts';
import { type FileBytes, sequentialReadSize } from './file-bytes.ts';
import { parseJsonLine, prefixOfParsedLine } from './line-prefix.ts';
import type { LineLocation } from './line-table.ts';
import { parseSessionHeader } from './line-text.ts';
import { findSessionIdInName } from './paths.ts';
import { forEachLine, isBlankLine, readFirstLine } from './raw-lines.ts';

/** A header and its location in the file. */
export interface LocatedHeader {
  readonly header: SessionHeader;
  readonly at: LineLocation;
  /** The warning if the header is missing or not in the first line; else null. */
  readonly warning: SessionWarning | null;
}

/**
 * Returns the header of a file. If it is not in the first line, the other lines are searched, and a missing header is
 * rebuilt from the entries. Throws if the file is empty, if its first line cannot be read, if Coppice wrote none of its
 * lines, or if a newer version wrote it.
 */
export function readSessionHeader(path: string, file: FileBytes): LocatedHeader {
  const { bytes, line: number, offset } = readFirstLine(file);
  const line = parseJsonLine(bytes);
  const header = line === undefined ? undefined : parseSessionHeader(line);
  if (header === undefined || line === undefined) {
    if (isBlankLine(bytes)) throw makeDamagedFileError(path, 'is empty');
    return (line === undefined ? null : searchHeader(path, file)) ?? throwNoHeader(path);
  }
  const version = ownField(line, 'version');
  if (typeof version === 'number' && !isReadableVersion(version))
    throw makeNewerFormatError(path, version, sessionVersion);
  return { header, at: { line: number, offset, length: bytes.length }, warning: null };
}

const nowhere: LineLocation = { line: 0, offset: 0, length: 0 };

function throwNoHeader(path: string): never {
  throw makeDamagedFileError(path, 'has a first line that is not a session header');
}

/**
 * Searches the other lines for the header, or rebuilds it from the entries. Returns null if Coppice wrote none of the
 * lines.
 */
function searchHeader(path: string, file: FileBytes): LocatedHeader | null {
  const ids = new Set<string>();
  const parents = new Set<string>();
  let found: LocatedHeader | null = null;
  let number = 0;
  const take = (bytes: Buffer, offset: number) => {
    number++;
    const line = found === null ? parseJsonLine(bytes) : undefined;
    const head = line === undefined ? null : prefixOfParsedLine(line);
    if (line === undefined || head === null) return;
    const header = parseSessionHeader(line);
    if (header !== undefined) {
      const message = `The header is in line ${number}, after entries.`;
      const warning = { code: 'order', message, line: number, offset, uuid: header.uuid } as const;
      found = { header, at: { line: number, offset, length: bytes.length }, warning };
    }
    ids.add(head.uuid);
    if (head.parentUuid !== null && ownField(line, 'uuid') !== undefined) parents.add(head.parentUuid);
  };
  const { rest, offset } = forEachLine(file, 0, file.size(), () => false, take);
  if (rest !== null && rest.length < sequentialReadSize) take(rest, offset);
  if (found !== null) return found;
  // The first entries name a parent that has no line. That id must be the header's.
  if (parents.size === 0) return null;
  const uuid = [...parents].find((parent) => !ids.has(parent)) ?? deriveId('session-header', path);
  const id = findSessionIdInName(path) ?? uuid;
  const header: SessionHeader = { type: 'session', version: sessionVersion, uuid, parentUuid: null, id };
  const message = 'The header is missing: the session is shown without its folder and owner.';
  return { header, at: nowhere, warning: { code: 'lost', message, line: 1, offset: 0 } };
}
