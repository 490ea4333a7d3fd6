// Detects which tool wrote a session file, by the shape of its first lines and not by its name.

import type { FieldMap } from '@coppice/core';
import { getNumber, getText, isFieldMap, ownField } from '@coppice/core/decode';
import { claudeCodeChainLineTypes, claudeCodeUnchainedLineTypes } from './claude-code-types.ts';
import { isLeafEntryType, isReadableVersion, isSideEntryType, type SessionDialect } from './contract.ts';

/** The dialect of a file, or why it cannot be read. */
export type DetectedDialect =
  | { readonly dialect: SessionDialect }
  /** The file has Coppice's or pi's format, but a newer version. */
  | { readonly newer: number }
  | { readonly unknown: string };

function isCodeType(type = ''): boolean {
  return claudeCodeChainLineTypes.has(type) || claudeCodeUnchainedLineTypes.has(type);
}

/** Detects the dialect from the first lines. Lines that cannot be parsed are passed as undefined. */
export function detectDialect(lines: readonly unknown[]): DetectedDialect {
  const [first] = lines;
  if (isFieldMap(first) && ownField(first, 'type') === 'session') return byHeader(first);
  const code = lines.some((line) => isFieldMap(line) && isCodeType(getText(line, 'type')));
  const header = lines.find((line) => isFieldMap(line) && ownField(line, 'type') === 'session');
  if (code && header === undefined) return { dialect: 'claude-code' };
  // An unreadable first line may be the header of another session, or of a newer version.
  const found = !isFieldMap(first) ? null : isFieldMap(header) ? byHeader(header) : byEntries(lines);
  if (found !== null && 'dialect' in found && found.dialect !== 'v1') return found;
  return { unknown: first === undefined ? 'its first line cannot be read' : 'its first line is not a session header' };
}

function byHeader(header: FieldMap): DetectedDialect {
  const version = getNumber(header, 'version');
  if (getText(header, 'uuid') !== undefined)
    return version === undefined || isReadableVersion(version) ? { dialect: 'v2' } : { newer: version };
  if (getText(header, 'id') === undefined) return { unknown: 'its header has neither uuid nor id' };
  if (version === undefined || version < 2) return { dialect: 'v1' };
  return version <= 3 ? { dialect: 'pi' } : { newer: version };
}

/** Detects the dialect of a file without a header by the ids of its entries. */
function byEntries(lines: readonly unknown[]): DetectedDialect | null {
  for (const line of lines) {
    if (!isFieldMap(line) || !isEntryType(getText(line, 'type'))) continue;
    if (getText(line, 'uuid') !== undefined && getText(line, 'parentUuid') !== undefined) return { dialect: 'v2' };
    if (getText(line, 'id') !== undefined && ownField(line, 'parentId') !== undefined) return { dialect: 'pi' };
  }
  return null;
}

function isEntryType(type = ''): boolean {
  return isLeafEntryType(type) || isSideEntryType(type);
}
