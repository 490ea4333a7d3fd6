/** Tests of lines with several entries, because a tool appended to a line without a line end. */
import { appendFileSync, copyFileSync, linkSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionFile } from '@coppice/content/sessions';
import { testUuid } from '@coppice/core/testing';
import { expect, test, vi } from 'vitest';
import {
  buildMessageEntry,
  buildTextMessage,
  sessionHeaderLine,
  sessionRootId,
  useSessionFolder,
} from '../../test/session-lines.ts';
import { sessionFiles } from './session-files.ts';

const fixture = useSessionFolder();
const ofPi = (at: number, above: string) =>
  JSON.stringify({ type: 'message', id: `p${at}`, parentId: above, message: buildTextMessage(at) });
const ofAnother = (at: number, above: string) =>
  JSON.stringify({ parentUuid: above, type: 'message', message: buildTextMessage(at), uuid: testUuid(at) });

function open(path: string): SessionFile {
  const file = sessionFiles.open(path);
  fixture.opened.push(file);
  return file;
}

function made(text: string): SessionFile {
  const path = join(fixture.folder, `${fixture.opened.length}.jsonl`);
  writeFileSync(path, text);
  return open(path);
}

const rows = (file: SessionFile) =>
  Array.from({ length: file.size }, (_, at) => [file.uuidAt(at), file.uuidAt(file.parentAt(at)), file.entryAt(at)]);
const read = (file: SessionFile) =>
  rows(file).map(([id, , entry]) => [id, JSON.stringify(entry).match(/said \d+/)?.[0]]);

/** Opens a copy of a file, so that no cached state of the original is used. */
function anew(path: string): SessionFile {
  const copy = join(fixture.folder, `copy-${fixture.opened.length}.jsonl`);
  copyFileSync(path, copy);
  return open(copy);
}

test.each([
  ['as ours are', (at: number, above: string) => JSON.stringify(buildMessageEntry(at, above)), testUuid(4)],
  ['of the terminal agent', ofPi, 'p4'],
  ['that begin otherwise', ofAnother, testUuid(4)],
])('[J45] two entries on one line are both read; the second %s', (_how, second, id) => {
  const file = made(
    `${sessionHeaderLine}${JSON.stringify(buildMessageEntry(3, sessionRootId))}${second(4, testUuid(3))}\n`,
  );
  expect(read(file).slice(1)).toEqual([
    [testUuid(3), 'said 3'],
    [id, 'said 4'],
  ]);
  expect(file.parentAt(2)).toBe(1);
  expect(file.warnings).toEqual([]);
  file.append([buildMessageEntry(5, id)], { actor: 'me' });
  expect(rows(file)).toEqual(rows(anew(file.path)));
});

test('[J45] an entry whose line another tool continues is kept, while the file is open and after reopening', () => {
  for (const more of [ofPi(4, testUuid(3)), ' {"no": "entry"}', ' and so on', '{}', '{"type":"message","uuid":"cut']) {
    const file = made(sessionHeaderLine + JSON.stringify(buildMessageEntry(3, sessionRootId)));
    expect(file.size).toBe(2);
    appendFileSync(file.path, `${more}\n`);
    file.refresh();
    file.append([buildMessageEntry(5, testUuid(3))], { actor: 'me' });
    const again = anew(file.path);
    expect(rows(file), more).toEqual(rows(again));
    expect([file.version, file.warnings.length], more).toEqual([again.version, again.warnings.length]);
    expect(read(again).map(([, text]) => text)).toEqual(expect.arrayContaining(['said 3', 'said 5']));
  }
});

test('[J45] a text that looks like the end of one entry and the start of another stays a text', () => {
  const odd = { ...buildMessageEntry(3, sessionRootId), message: buildTextMessage(3, 'said 3 \\frac{a}{') };
  const file = made(`${sessionHeaderLine}${JSON.stringify(odd)}\n`);
  expect(file.entryAt(1)['message']).toEqual(odd.message);
  expect([file.size, file.warnings]).toEqual([2, []]);
});

test('[J45] pieces that are not entries are reported once, however many there are', () => {
  const file = made(
    `${sessionHeaderLine}${JSON.stringify(buildMessageEntry(3, sessionRootId))}${' {"no":1}'.repeat(1000)}\n`,
  );
  expect(file.size).toBe(2);
  expect(file.warnings.map(({ code, line }) => [code, line])).toEqual([['damaged', 2]]);
});

test('[J45] in a file of another tool, too, two entries on one line are both read', () => {
  const first = JSON.stringify({
    type: 'session',
    version: 3,
    id: 'abc',
    timestamp: '2026-01-01T00:00:00Z',
    cwd: '/w',
  });
  const file = made(`${first}\n${ofPi(3, '')}${ofPi(4, 'p3')}\n${ofPi(5, 'p4')}\n`);
  expect(file.dialect).toBe('pi');
  expect(read(file).slice(1)).toEqual([
    ['p3', 'said 3'],
    ['p4', 'said 4'],
    ['p5', 'said 5'],
  ]);
});

test('[J15] a copied line of Coppice after an incomplete commit is still ignored', () => {
  const file = made(sessionHeaderLine);
  file.append([buildMessageEntry(3, sessionRootId)], { actor: 'me' });
  const line = readFileSync(file.path, 'utf8').slice(sessionHeaderLine.length);
  appendFileSync(
    file.path,
    `${JSON.stringify(buildMessageEntry(4, sessionRootId)).replace(',"message"', ',"version":3,"message"')}\n${line}`,
  );
  file.refresh();
  file.append([buildMessageEntry(5, testUuid(3))], { actor: 'me' });
  for (const one of [file, anew(file.path)])
    expect(read(one).map(([, text]) => text)).toEqual([undefined, 'said 3', 'said 5']);
});

test('[J22] a file that was renamed and replaced at the moment of a save is not written to', () => {
  const file = made(sessionHeaderLine);
  file.append([buildMessageEntry(3, sessionRootId)]);
  linkSync(file.path, `${file.path}.aside`);
  // A minute has passed, so the next append checks the lease again, and the append after that one does not.
  const { now } = Date;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + 60_000);
  file.append([buildMessageEntry(4, testUuid(3))]);
  copyFileSync(file.path, `${file.path}.new`);
  renameSync(`${file.path}.new`, file.path);
  expect(() => file.append([buildMessageEntry(5, testUuid(4))])).toThrow(/deleted, replaced or cut/);
  clock.mockRestore();
});
