import { buildFinding, buildFindingDetail, type FindingDetail, importFindingCodes } from '@coppice/content/formats';
import { expect, test } from 'vitest';
import { languageTextsDe } from './de/index.ts';
import { reportTextsDe } from './de/reports.ts';
import { createFindingTranslator } from './translate-finding.ts';
import { createRefusalTranslator } from './translate-refusal.ts';

const germanFinding = createFindingTranslator(reportTextsDe, createRefusalTranslator('de', languageTextsDe.refusals));

test('[B86] a finding of an import is translated, with its position and its values', () => {
  for (const code of Object.keys(importFindingCodes)) {
    const place = 'a (1).json[3]: x';
    expect(
      germanFinding({
        code,
        place,
        data: buildFinding('import/differs', 'note', place, buildFindingDetail('id', '"(b)"')).data,
      })?.detail,
    ).toBe('ID "(b)"');
    expect(germanFinding({ code, place, data: {} })).toMatchObject({ detail: '' });
  }
  expect(germanFinding({ code: 'import/skipped', place: 'a.json', data: {} })?.said).toBe(
    'a.json: kein Gespräch: weggelassen',
  );
  expect(germanFinding({ code: 'import/new', place: 'a', data: {} })).toBe(null);
});

test('[B87] the details of a finding are translated by their code, and names and texts of the file stay unchanged', () => {
  const finding = (detail: FindingDetail | string) =>
    germanFinding(buildFinding('import/differs', 'note', 'a', detail));
  expect(finding(buildFindingDetail('listed-and-present', 3, 4))).toMatchObject({
    detail: '3 genannt, 4 vorhanden',
    english: false,
  });
  expect(finding(buildFindingDetail('renamed', '$&', '"b {}"'))).toMatchObject({
    detail: '$& wurde zu "b {}"',
    english: false,
  });
  for (const name of ['constructor', 'no messages', 'file.png'])
    expect(finding(name)).toMatchObject({ detail: name, english: true });
});

test('[B87] a refusal of a store during an import is worded by its own code', () => {
  const refusal = { code: 'tree/unknown-node', message: 'There is no message x.', data: { nodeId: 'x' } };
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
