import { isAppError } from '@coppice/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { fromCursor, toCursor } from './cursor.ts';

const part = fc.oneof(fc.string({ unit: 'binary' }), fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));

function refused(work: () => unknown): boolean {
  try {
    work();
    return false;
  } catch (error) {
    return isAppError(error) && error.code === 'cursor/invalid';
  }
}

it('[K132] a cursor returns what was encoded in it, and is safe in a URL', () => {
  fc.assert(
    fc.property(fc.string(), fc.array(part, { maxLength: 4 }), (kind, parts) => {
      // JSON has no negative zero.
      const exact = parts.map((item) => (Object.is(item, -0) ? 0 : item));
      const cursor = toCursor(kind, exact);
      expect(encodeURIComponent(cursor)).toBe(cursor);
      const shape = exact.map((item) => (typeof item === 'string' ? ('string' as const) : ('number' as const)));
      expect(fromCursor(kind, shape, cursor)).toEqual(exact);
    }),
  );
});

it('[K133] any other cursor is refused: of another list, of another shape, changed or made up', () => {
  const cursor = toCursor('trees', [5, 'id']);
  expect(fromCursor('trees', ['number', 'string'], cursor)).toEqual([5, 'id']);
  expect(refused(() => fromCursor('hits', ['number', 'string'], cursor))).toBe(true);
  expect(refused(() => fromCursor('trees', ['string', 'string'], cursor))).toBe(true);
  expect(refused(() => fromCursor('trees', ['number'], cursor))).toBe(true);
  for (const bad of ['', 'x', `${cursor}A`, cursor.slice(1), `${cursor}=`, 'W10', 'bnVsbA', '%', 'é'])
    expect(refused(() => fromCursor('trees', ['number', 'string'], bad))).toBe(true);
  fc.assert(fc.property(fc.string(), (text) => refused(() => fromCursor('trees', ['number', 'string'], text))));
});
