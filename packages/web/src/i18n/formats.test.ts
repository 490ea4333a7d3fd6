import { formats } from '@coppice/content/formats';
import { expect, test } from 'vitest';
import { formatsDe, lossesDe } from './formats-de.ts';

test('[B86] every format that is written, and everything that one loses, is said in German', () => {
  const written = formats.filter((format) => format.writer !== undefined);
  expect(Object.keys(formatsDe).toSorted()).toEqual(written.map((format) => format.name).toSorted());
  const lost = new Set(written.flatMap((format) => Object.keys(format.writer?.loses ?? {})));
  expect(Object.keys(lossesDe).toSorted()).toEqual([...lost].toSorted());
});
