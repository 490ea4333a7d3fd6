// Which tool wrote a session file, told by the shape of its first lines and not by its name.
import { asideTypes, chainTypes } from './claude-code-types.ts';
import { isLeafType, isReadableVersion, isSideEntry, type SessionDialect } from './contract.ts';
import { isSessionFields, numberField, ownSessionField, type SessionFields, textField } from './fields.ts';

/** What the first lines of a file say about it. */
export type Detected =
  | { readonly dialect: SessionDialect }
  /** Ours, or of the tool whose format this is, but by a newer build. */
  | { readonly newer: number }
  | { readonly unknown: string };

function isCodeType(type = ''): boolean {
  return chainTypes.has(type) || asideTypes.has(type);
}

/** Tells the dialect from the first lines, parsed; what cannot be parsed is given as undefined. */
export function detectDialect(lines: readonly unknown[]): Detected {
  const [first] = lines;
  if (isSessionFields(first) && ownSessionField(first, 'type') === 'session') return byHeader(first);
  const code = lines.some((line) => isSessionFields(line) && isCodeType(textField(line, 'type')));
  const header = lines.find((line) => isSessionFields(line) && ownSessionField(line, 'type') === 'session');
  if (code && header === undefined) return { dialect: 'claude-code' };
  // A first line that cannot be read may be the header of another session, or of a newer build.
  const found = !isSessionFields(first) ? null : isSessionFields(header) ? byHeader(header) : byEntries(lines);
  if (found !== null && 'dialect' in found && found.dialect !== 'v1') return found;
  return { unknown: first === undefined ? 'its first line cannot be read' : 'its first line is no session header' };
}

function byHeader(header: SessionFields): Detected {
  const version = numberField(header, 'version');
  if (textField(header, 'uuid') !== undefined)
    return version === undefined || isReadableVersion(version) ? { dialect: 'v2' } : { newer: version };
  if (textField(header, 'id') === undefined) return { unknown: 'its header has neither uuid nor id' };
  if (version === undefined || version < 2) return { dialect: 'v1' };
  return version <= 3 ? { dialect: 'pi' } : { newer: version };
}

/** The dialect of a file that has lost its header, by the ids of its entries. */
function byEntries(lines: readonly unknown[]): Detected | null {
  for (const line of lines) {
    if (!isSessionFields(line) || !isEntryType(textField(line, 'type'))) continue;
    if (textField(line, 'uuid') !== undefined && textField(line, 'parentUuid') !== undefined) return { dialect: 'v2' };
    if (textField(line, 'id') !== undefined && ownSessionField(line, 'parentId') !== undefined)
      return { dialect: 'pi' };
  }
  return null;
}

function isEntryType(type = ''): boolean {
  return isLeafType(type) || isSideEntry(type);
}
