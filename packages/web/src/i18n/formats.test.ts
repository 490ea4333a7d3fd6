import { readdirSync, readFileSync } from 'node:fs';
import { importFindingCodes } from '@coppice/content/formats';
import { expect, test } from 'vitest';
import { textsDe } from './de/index.ts';
import { reportTextsDe } from './de/reports.ts';
import { createDetailTranslator, createFindingTranslator } from './translate-finding.ts';
import { createRefusalTranslator } from './translate-refusal.ts';

const germanDetail = createDetailTranslator(reportTextsDe.findingDetails);
const germanFinding = createFindingTranslator(reportTextsDe, createRefusalTranslator('de', textsDe.refusals));

test('[B86] a finding of an import is translated, with its position and its values', () => {
  for (const code of Object.keys(importFindingCodes)) {
    const place = 'a (1).json[3]: x';
    expect(germanFinding({ code, place, data: { detail: 'id "(b)"' } })?.detail).toBe('Kennung "(b)"');
    expect(germanFinding({ code, place, data: {} })).toMatchObject({ detail: '' });
  }
  expect(germanFinding({ code: 'import/skipped', place: 'a.json', data: {} })?.said).toBe(
    'a.json: kein Gespräch: weggelassen',
  );
  expect(germanFinding({ code: 'import/new', place: 'a', data: {} })).toBe(null);
});

/** The detail phrases in the readers of formats, with `x` for each value. */
function writtenDetails(): string[] {
  const found: string[] = [];
  for (const folder of ['../../../content/src/formats/', '../../../engine/src/import/']) {
    const root = new URL(folder, import.meta.url);
    for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
      if (!name.endsWith('.ts') || name.endsWith('.test.ts')) continue;
      const text = readFileSync(new URL(name, root), 'utf8');
      const calls =
        /\bbuildFinding\(\s*(?:'import\/[\w-]+'|code),\s*'\w+',\s*(?:`[^`]*`|[^,`']+),\s*(?:'([^'\n]+)'|`([^`\n]+)`)/g;
      for (const [, plain, template] of text.matchAll(calls))
        found.push(plain ?? (template ?? '').replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, 'x'));
    }
  }
  return found;
}

test('[B87] values of a finding are translated where they are words, and stay unchanged otherwise', () => {
  const details = writtenDetails();
  expect(details.length).toBeGreaterThan(50);
  // Names of fields are not translated.
  const words = details.filter((detail) => !/^[a-z]+(?:_[a-z]+|[A-Z])\w*$/.test(detail));
  expect(words.filter((detail) => germanDetail(detail) === null)).toEqual([]);
  expect(germanDetail('3 listed, 4 there')).toBe('3 genannt, 4 da');
  expect(germanDetail('$& became "b {}"')).toBe('$& wurde zu "b {}"');
  expect(germanDetail('constructor')).toBe(null);
});

test('[B87] a refusal of a store during an import is worded by its own code', () => {
  const refusal = { code: 'tree/unknown-node', message: 'There is no node x.', data: { nodeId: 'x' } };
  expect(germanFinding({ code: 'import/refused', place: 'a', data: { refusal } })).toEqual({
    said: 'a: der Speicher hat das Gespräch abgelehnt',
    detail: 'Die Nachricht x gibt es hier nicht.',
    english: false,
  });
  const unknown = { code: 'other/new', message: 'There is a tree x (y) already.', data: {} };
  expect(germanFinding({ code: 'import/refused', place: 'a', data: { refusal: unknown } })).toEqual({
    said: 'a: der Speicher hat das Gespräch abgelehnt',
    detail: 'There is a tree x (y) already.',
    english: true,
  });
});
