/** Lines that have no end when the next one is written, and entries that hang on what is gone. */
import {
  appendFileSync,
  copyFileSync,
  linkSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SessionEntry, type SessionFile, SessionIndex } from '@coppice/content/sessions';
import { uuid } from '@coppice/core/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { armFault } from '../failpoints.ts';
import { sessionFiles } from './session-files.ts';

let folder: string;
const opened: SessionFile[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-unended-'));
});
afterEach(() => {
  armFault(null);
  for (const file of opened.splice(0)) file.close();
  rmSync(folder, { recursive: true, force: true });
});

const root = uuid(1);
const said = (at: number, above: string): SessionEntry => ({
  type: 'message',
  uuid: uuid(at),
  parentUuid: above,
  message: { role: 'user', content: [{ type: 'text', text: `said ${at}` }] },
});
const header = `${JSON.stringify({ type: 'session', version: 2, uuid: root, parentUuid: null, id: uuid(2), cwd: '/w' })}\n`;

function made(text: string): { readonly path: string; readonly file: SessionFile } {
  const path = join(folder, 'session.jsonl');
  writeFileSync(path, text);
  return { path, file: open(path) };
}

function open(path: string, readOnly = false): SessionFile {
  const file = sessionFiles.open(path, { readOnly });
  opened.push(file);
  return file;
}

/** What a file says to somebody who opens it for the first time. */
function anew(path: string): SessionFile {
  const copy = join(folder, `copy-${opened.length}.jsonl`);
  copyFileSync(path, copy);
  return open(copy, true);
}

const rows = (file: SessionFile) =>
  Array.from({ length: file.size }, (_, at) => [file.uuidAt(at), file.parentAt(at), file.entryAt(at)['damaged']]);

/** The text of a line of ours. */
function ours(at: number): string {
  const { path, file } = made(header);
  file.append([said(at, root)], { actor: 'me' });
  return readFileSync(path, 'utf8').slice(header.length);
}

test('[J29] an entry behind half a line that begins as ours do is read, wherever that half ends', () => {
  const line = ours(3);
  const half = JSON.stringify(said(4, root));
  const { path } = made(header);
  for (let cut = 1; cut < half.length; cut++) {
    writeFileSync(path, header + half.slice(0, cut) + line);
    const file = anew(path);
    expect([cut, rows(file).slice(1)]).toEqual([cut, [[uuid(3), 0, undefined]]]);
    expect(file.warnings.map(({ code, offset }) => [code, offset])).toEqual([['damaged', header.length]]);
  }
});

test('[J29] a whole line that another tool did not end and the entry behind it are both read', () => {
  const line = ours(3);
  const { path } = made(header);
  writeFileSync(path, header + JSON.stringify(said(4, root)) + line);
  const file = anew(path);
  expect(rows(file).slice(1)).toEqual([
    [uuid(4), 0, undefined],
    [uuid(3), 0, undefined],
  ]);
  expect(file.warnings).toEqual([]);
});

test('[J29] an entry that says what a line looks like stays one', () => {
  const { file } = made(header);
  const told = {
    ...said(4, root),
    data: { at: { type: 'x', uuid: 'y', parentUuid: null, version: 3 }, more: said(5, root) },
  };
  file.append([told]);
  appendFileSync(file.path, `${JSON.stringify({ ...told, uuid: uuid(6) })}\n`);
  file.refresh();
  for (const one of [file, anew(file.path)]) {
    expect(rows(one).map(([id]) => id)).toEqual([root, uuid(4), uuid(6)]);
    expect(one.entryAt(2)).toMatchObject({ data: told.data });
    expect(one.warnings).toEqual([]);
  }
});

test('[J15] an id that comes twice is shown under the same name after a restart, also behind a line that had no end', () => {
  const { path, file } = made(header + JSON.stringify(said(3, root)));
  file.append([said(4, uuid(3))]);
  appendFileSync(path, `${JSON.stringify(said(3, uuid(4)))}\nno line\n`);
  file.refresh();
  const again = anew(path);
  expect(rows(file)).toEqual(rows(again));
  expect(file.warnings).toEqual(again.warnings);
});

test('[J11] after an append that failed, a line that another tool did not end is ended before the next one', () => {
  const { path, file } = made(header);
  armFault({ point: 'disk-session-before-append', nth: 1, fault: 'eio' });
  expect(() => file.append([said(3, root)])).toThrow();
  appendFileSync(path, JSON.stringify(said(4, root)));
  file.append([said(5, root)]);
  const plain = readFileSync(path, 'utf8').trimEnd().split('\n');
  expect(plain.map((line) => JSON.parse(line).uuid)).toEqual([root, uuid(4), uuid(5)]);
  expect(rows(file)).toEqual(rows(anew(path)));
});

test.each([
  ['half a second later', 501],
  ['by a clock that was set back', -3_600_000],
])('[J22] a file that was put aside under another name in the very moment of a save is noticed %s', (_when, later) => {
  const { path, file } = made(header);
  file.append([said(3, root)]);
  linkSync(path, `${path}.aside`);
  copyFileSync(path, `${path}.new`);
  renameSync(`${path}.new`, path);
  expect(readFileSync(`${path}.aside`, 'utf8')).toContain(uuid(3));
  const { now } = Date;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + later);
  expect(() => file.append([said(5, root)])).toThrow(/deleted, replaced or cut/);
  clock.mockRestore();
});

test('[J22] lines of a row that somebody cut off are not told to be there', () => {
  const { path, file } = made(header);
  const clock = vi.spyOn(performance, 'now').mockReturnValue(1_000_000);
  file.append([said(3, root)]);
  const { size } = statSync(path);
  file.append([said(4, uuid(3))]);
  truncateSync(path, size);
  expect([file.indexOf(uuid(3)), file.indexOf(uuid(4)), file.size]).toEqual([1, -1, 2]);
  expect(rows(file)).toEqual(rows(anew(path)));
  expect(() => file.append([said(5, root)])).toThrow(/deleted, replaced or cut/);
  clock.mockRestore();
});

test('[J14] an entry that says of itself that it is nothing is written as what it is', () => {
  const { file } = made(header);
  file.append([{ ...said(3, root), toJSON: () => undefined }]);
  expect(file.entryAt(file.indexOf(uuid(3)))).toMatchObject(said(3, root));
});

test('[J25] whether entries of a long chain are live is told without walking the chain for each', () => {
  const lines = [header];
  for (let at = 0; at < 2000; at++) lines.push(`${JSON.stringify(said(10 + at, at === 0 ? root : uuid(9 + at)))}\n`);
  const gone = { type: 'change', uuid: uuid(3), parentUuid: root, steps: [{ type: 'remove', nodeId: uuid(1510) }] };
  const { file } = made([...lines, `${JSON.stringify(gone)}\n`].join(''));
  const index = new SessionIndex(file);
  const walked = vi.spyOn(file, 'parentAt');
  const live = Array.from({ length: file.size }, (_, at) => index.isLive(at));
  expect(live.filter((is) => is).length).toBe(1501);
  expect(walked.mock.calls.length).toBeLessThan(10 * file.size);
});
