import { isAppError } from '@coppice/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeCursor, encodeCursor } from './cursor.ts';

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
      // JSON cannot represent negative zero.
      const exact = parts.map((item) => (Object.is(item, -0) ? 0 : item));
      const cursor = encodeCursor(kind, exact);
      expect(encodeURIComponent(cursor)).toBe(cursor);
      const shape = exact.map((item) => (typeof item === 'string' ? ('string' as const) : ('number' as const)));
      expect(decodeCursor(kind, shape, cursor)).toEqual(exact);
    }),
  );
});

it('[K133] any other cursor is refused: of another list, of another shape, changed or made up', () => {
  const cursor = encodeCursor('trees', [5, 'id']);
  expect(decodeCursor('trees', ['number', 'string'], cursor)).toEqual([5, 'id']);
  expect(refused(() => decodeCursor('hits', ['number', 'string'], cursor))).toBe(true);
  expect(refused(() => decodeCursor('trees', ['string', 'string'], cursor))).toBe(true);
  expect(refused(() => decodeCursor('trees', ['number'], cursor))).toBe(true);
  for (const bad of ['', 'x', `${cursor}A`, cursor.slice(1), `${cursor}=`, 'W10', 'bnVsbA', '%', 'é'])
    expect(refused(() => decodeCursor('trees', ['number', 'string'], bad))).toBe(true);
  fc.assert(fc.property(fc.string(), (text) => refused(() => decodeCursor('trees', ['number', 'string'], text))));
});
