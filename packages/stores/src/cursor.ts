/** Cursors of lists. They are opaque to callers, and validated when a caller sends one back. */
import { refuse } from '@coppice/core';

/** A part of a cursor: one sort key of the last item of a page. */
export type CursorPart = string | number;

/** Encodes a cursor for a kind of list, in letters and digits that are safe in a URL. */
export function encodeCursor(kind: string, parts: readonly CursorPart[]): string {
  const json = JSON.stringify([kind, ...parts]).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return btoa(json).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/**
 * Decodes a cursor. The shape gives the type of each part, such as `['number', 'string']`;
 * the shape `'numbers'` stands for one to `most` numbers. Anything that {@link
 * encodeCursor} did not write for the same kind of list is refused with `cursor/invalid`.
 */
export function decodeCursor(
  kind: string,
  shape: readonly ('string' | 'number')[] | 'numbers',
  cursor: string,
  most = 1,
): CursorPart[] {
  const parts = parseCursorParts(cursor);
  const fits =
    parts !== null &&
    parts[0] === kind &&
    (shape === 'numbers'
      ? parts.length > 1 && parts.length <= most + 1 && parts.slice(1).every((part) => typeof part === 'number')
      : parts.length === shape.length + 1 && shape.every((type, index) => typeof parts[index + 1] === type)) &&
    encodeCursor(kind, parts.slice(1)) === cursor;
  if (!fits)
    return refuse(
      'cursor/invalid',
      `${JSON.stringify(String(cursor).slice(0, 64))} is not a cursor of a list of ${kind}. Leave the cursor out to start from the beginning.`,
      {
        kind,
      },
    );
  return parts.slice(1);
}

function parseCursorParts(cursor: string): CursorPart[] | null {
  if (typeof cursor !== 'string' || !/^[\w-]+$/.test(cursor) || cursor.length > 2048) return null;
  try {
    const value: unknown = JSON.parse(atob(cursor.replaceAll('-', '+').replaceAll('_', '/')));
    return Array.isArray(value) && value.every(isCursorPart) ? value : null;
  } catch {
    return null;
  }
}

function isCursorPart(value: unknown): value is CursorPart {
  return typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));
}
