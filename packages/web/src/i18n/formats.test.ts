import { findingCodes, formats } from '@coppice/content/formats';
import { expect, test } from 'vitest';
import { findingsDe, germanFinding } from './findings-de.ts';
import { formatsDe, lossesDe } from './formats-de.ts';

test('[B86] every format that is written, and everything that one loses, is said in German', () => {
  const written = formats.filter((format) => format.writer !== undefined);
  expect(Object.keys(formatsDe).toSorted()).toEqual(written.map((format) => format.name).toSorted());
  const lost = new Set(written.flatMap((format) => Object.keys(format.writer?.loses ?? {})));
  expect(Object.keys(lossesDe).toSorted()).toEqual([...lost].toSorted());
});

test('[B86] every finding of an import is said in German, with its place and what it names', () => {
  expect(Object.keys(findingsDe).toSorted()).toEqual(Object.keys(findingCodes).toSorted());
  for (const [code, meaning] of Object.entries(findingCodes)) {
    // The page takes the detail by the first bracket.
    expect(meaning).not.toContain('(');
    const place = 'a (1).json[3]: x';
    expect(germanFinding({ code, place, message: `${place}: ${meaning} (id "(b)").` })?.detail).toBe('id "(b)"');
    expect(germanFinding({ code, place, message: `${place}: ${meaning}.` })).toMatchObject({ detail: '' });
  }
  expect(
    germanFinding({ code: 'import/skipped', place: 'a.json', message: 'a.json: not a conversation: left out.' })?.said,
  ).toBe('a.json: kein Gespräch: weggelassen');
  expect(germanFinding({ code: 'import/new', place: 'a', message: 'a: b.' })).toBe(null);
});
