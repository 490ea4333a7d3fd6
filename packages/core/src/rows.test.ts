import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { applyPatch, inversePatch } from './rows.ts';
import { propertyParameters, propertyTimeoutMs } from './testing/arbitraries.ts';

const runs = propertyParameters(300, process.env);
vi.setConfig({ testTimeout: propertyTimeoutMs(process.env) });
const key = fc.constantFrom('a', 'b', '__proto__', 'constructor', '');
const object = fc
  .array(fc.tuple(key, fc.oneof(fc.nat(), fc.constant('text'))), { maxLength: 5 })
  .map((entries) => Object.fromEntries(entries));
const patch = fc
  .array(fc.tuple(key, fc.oneof(fc.nat(), fc.constant(null))), { maxLength: 5 })
  .map((entries) => Object.fromEntries(entries));

const entries = (value: object) => Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));

describe('a patch', () => {
  test('[S34] sets values and removes keys with null, whatever their names', () => {
    fc.assert(
      fc.property(object, patch, (base, set) => {
        const model = new Map<string, unknown>(Object.entries(base));
        for (const [name, value] of Object.entries(set))
          if (value === null) model.delete(name);
          else model.set(name, value);
        expect(entries(applyPatch(base, set))).toEqual([...model].sort(([a], [b]) => (a < b ? -1 : 1)));
        expect(Object.getPrototypeOf(applyPatch(base, set))).toBe(Object.prototype);
      }),
      runs,
    );
  });

  test('[S34] is undone by its own inverse', () => {
    fc.assert(
      fc.property(object, patch, (base, set) => {
        const inverse = inversePatch(base, set);
        expect(Object.keys(inverse)).toEqual(Object.keys(set));
        expect(entries(applyPatch(applyPatch(base, set), inverse))).toEqual(entries(base));
      }),
      runs,
    );
  });

  test('[S34] does not change the object that it is applied to', () => {
    const base = Object.freeze({ a: 1, b: 2 });
    expect(applyPatch<{ a?: number; b?: number }>(base, { a: null, b: 3 })).toEqual({ b: 3 });
    expect(base).toEqual({ a: 1, b: 2 });
  });
});
