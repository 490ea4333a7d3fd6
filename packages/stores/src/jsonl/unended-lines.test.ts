/**
 * Tests of files whose last line has no line end when the next line is written, and of entries whose parent is missing.
 */
import {
  appendFileSync,
  copyFileSync,
  linkSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type SessionFile, SessionIndex } from '@coppice/content/sessions';
import { isAppError } from '@coppice/core';
import { testUuid } from '@coppice/core/testing';
import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { buildMessageEntry, sessionHeaderLine, sessionRootId, useSessionFolder } from '../../test/session-lines.ts';
import { armFault } from '../failpoints.ts';
import { sessionFiles } from './session-files.ts';

const fixture = useSessionFolder();
afterEach(() => armFault(null));

function made(text: string, name = 'session'): { readonly path: string; readonly file: SessionFile } {
  const path = join(fixture.folder, `${name}.jsonl`);
  writeFileSync(path, text);
  return { path, file: open(path) };
}

function open(path: string, readOnly = false): SessionFile {
  const file = sessionFiles.open(path, { readOnly });
  fixture.opened.push(file);
  return file;
}

/** Opens a copy of a file, so that no cached state of the original is used. */
function anew(path: string): SessionFile {
  const copy = join(fixture.folder, `copy-${fixture.opened.length}.jsonl`);
  copyFileSync(path, copy);
  return open(copy, true);
}

const rows = (file: SessionFile) =>
  Array.from({ length: file.size }, (_, at) => [file.uuidAt(at), file.parentAt(at), file.entryAt(at)['damaged']]);

/** Returns the text of a line as Coppice writes it. */
function ours(at: number): string {
  const { path, file } = made(sessionHeaderLine);
  file.append([buildMessageEntry(at, sessionRootId)], { actor: 'me' });
  return readFileSync(path, 'utf8').slice(sessionHeaderLine.length);
}

test('[J29] an entry after an incomplete line that starts like a line of Coppice is read, wherever that line stops', () => {
  const line = ours(3);
  const half = JSON.stringify(buildMessageEntry(4, sessionRootId));
  const { path } = made(sessionHeaderLine);
  for (let cut = 1; cut < half.length; cut++) {
    writeFileSync(path, sessionHeaderLine + half.slice(0, cut) + line);
    const file = anew(path);
    expect([cut, rows(file).slice(1)]).toEqual([cut, [[testUuid(3), 0, undefined]]]);
    expect(file.warnings.map(({ code, offset }) => [code, offset])).toEqual([['damaged', sessionHeaderLine.length]]);
  }
});

test('[J29] a complete line without a line feed and the entry after it are both read', () => {
  const line = ours(3);
  const { path } = made(sessionHeaderLine);
  writeFileSync(path, sessionHeaderLine + JSON.stringify(buildMessageEntry(4, sessionRootId)) + line);
  const file = anew(path);
  expect(rows(file).slice(1)).toEqual([
    [testUuid(4), 0, undefined],
    [testUuid(3), 0, undefined],
  ]);
  expect(file.warnings).toEqual([]);
});

test('[J29] an entry after a copied line of Coppice without a line feed is read, whatever its type', () => {
  const copied = ours(3);
  for (const [at, type] of ['message', 'ü', 'a "b"'].entries()) {
    const { path, file } = made(sessionHeaderLine + copied, `of-type-${at}`);
    file.append([
      {
        ...buildMessageEntry(4, sessionRootId),
        type,
        blocks: Array.from({ length: 40 }, () => ({ type: 'text', text: 'x' })),
      },
    ]);
    const line = readFileSync(path, 'utf8').slice(sessionHeaderLine.length + copied.length);
    for (const end of [30, copied.length - 5, copied.length - 1]) {
      writeFileSync(path, sessionHeaderLine + copied + copied.slice(0, end) + line);
      const again = anew(path);
      expect(rows(again).map(([id]) => id)).toEqual([sessionRootId, testUuid(3), testUuid(4)]);
      expect(again.warnings.map(({ code }) => code)).toEqual([end < copied.length - 1 ? 'damaged' : 'twice']);
    }
  }
});

test('[J29] an entry whose text looks like a line stays one entry', () => {
  const { file } = made(sessionHeaderLine);
  const reported = {
    ...buildMessageEntry(4, sessionRootId),
    data: { at: { type: 'x', uuid: 'y', parentUuid: null, version: 3 }, more: buildMessageEntry(5, sessionRootId) },
  };
  file.append([reported]);
  appendFileSync(file.path, `${JSON.stringify({ ...reported, uuid: testUuid(6) })}\n`);
  file.refresh();
  for (const one of [file, anew(file.path)]) {
    expect(rows(one).map(([id]) => id)).toEqual([sessionRootId, testUuid(4), testUuid(6)]);
    expect(one.entryAt(2)).toMatchObject({ data: reported.data });
    expect(one.warnings).toEqual([]);
  }
});

test('[J15] a duplicate id gets the same new id after a restart, even after a line without a line feed', () => {
  const { path, file } = made(sessionHeaderLine + JSON.stringify(buildMessageEntry(3, sessionRootId)));
  file.append([buildMessageEntry(4, testUuid(3))]);
  appendFileSync(path, `${JSON.stringify(buildMessageEntry(3, testUuid(4)))}\nno line\n`);
  file.refresh();
  const again = anew(path);
  expect(rows(file)).toEqual(rows(again));
  expect(file.warnings).toEqual(again.warnings);
});

test('[J15] lines of Coppice that were copied to the end of the file are ignored', () => {
  const { path, file } = made(sessionHeaderLine);
  file.append([buildMessageEntry(3, sessionRootId), buildMessageEntry(4, testUuid(3))], { actor: 'me' });
  file.append([buildMessageEntry(5, testUuid(4))], { actor: 'me' });
  appendFileSync(path, readFileSync(path, 'utf8').slice(sessionHeaderLine.length));
  file.refresh();
  file.append([buildMessageEntry(6, testUuid(5))], { actor: 'me' });
  for (const one of [file, anew(path)]) {
    expect(rows(one).map(([id]) => id)).toEqual([sessionRootId, testUuid(3), testUuid(4), testUuid(5), testUuid(6)]);
    expect(one.version).toBe(4);
    expect(one.warnings.map(({ code, line }) => [code, line])).toEqual([
      ['twice', 5],
      ['twice', 6],
      ['twice', 7],
    ]);
  }
});

test.each([2 ** 53 - 1, 2 ** 60, 20_260_102])(
  '[J21] the number %d in a line of another tool is not taken for one of ours',
  (version) => {
    const { path, file } = made(sessionHeaderLine);
    const { type, uuid: id, parentUuid, message } = buildMessageEntry(3, sessionRootId);
    appendFileSync(path, `${JSON.stringify({ type, uuid: id, parentUuid, version, commit: true, message })}\n`);
    appendFileSync(path, `${JSON.stringify({ version, ...buildMessageEntry(4, sessionRootId) })}\n`);
    file.append([buildMessageEntry(5, testUuid(3))], { actor: 'me' });
    for (const one of [file, anew(path)]) {
      expect(rows(one).map(([id]) => id)).toEqual([sessionRootId, testUuid(3), testUuid(4), testUuid(5)]);
      expect([one.version, one.isOurs(1), one.isOurs(3)]).toEqual([4, false, true]);
    }
  },
);

test('[J10] an incomplete commit is reported once, however often it is read', () => {
  const { path, file } = made(sessionHeaderLine);
  file.append([buildMessageEntry(3, sessionRootId)], { actor: 'me' });
  const begun = `{"type":"message","uuid":"${testUuid(4)}","parentUuid":"${sessionRootId}","version":3}\n`;
  appendFileSync(path, `{"type":"mess${begun}`);
  file.refresh();
  appendFileSync(path, readFileSync(path, 'utf8').split('\n')[1] ?? '');
  file.refresh();
  file.append([buildMessageEntry(6, sessionRootId)], { actor: 'me' });
  expect(file.warnings).toEqual(anew(path).warnings);
});

test('[J11] after a failed append, an unfinished line of another tool is ended before the next one', () => {
  const { path, file } = made(sessionHeaderLine);
  armFault({ point: 'disk-session-before-append', nth: 1, fault: 'eio' });
  expect(() => file.append([buildMessageEntry(3, sessionRootId)])).toThrow();
  appendFileSync(path, JSON.stringify(buildMessageEntry(4, sessionRootId)));
  file.append([buildMessageEntry(5, sessionRootId)]);
  const plain = readFileSync(path, 'utf8').trimEnd().split('\n');
  expect(plain.map((line) => JSON.parse(line).uuid)).toEqual([sessionRootId, testUuid(4), testUuid(5)]);
  expect(rows(file)).toEqual(rows(anew(path)));
});

test.each([
  ['half a second later', 501],
  ['by a clock that was set back', -3_600_000],
])('[J22] a file that was renamed at the moment of a save is noticed %s', (_when, later) => {
  const { path, file } = made(sessionHeaderLine);
  file.append([buildMessageEntry(3, sessionRootId)]);
  linkSync(path, `${path}.aside`);
  copyFileSync(path, `${path}.new`);
  renameSync(`${path}.new`, path);
  expect(readFileSync(`${path}.aside`, 'utf8')).toContain(testUuid(3));
  const { now } = Date;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + later);
  expect(() => file.append([buildMessageEntry(5, sessionRootId)])).toThrow(/deleted, replaced or cut/);
  clock.mockRestore();
});

test('[J22] saved lines that another program cut off are not reported as saved', () => {
  const { path, file } = made(sessionHeaderLine);
  const clock = vi.spyOn(performance, 'now').mockReturnValue(1_000_000);
  file.append([buildMessageEntry(3, sessionRootId)]);
  const { size } = statSync(path);
  file.append([buildMessageEntry(4, testUuid(3))]);
  truncateSync(path, size);
  expect([file.indexOf(testUuid(3)), file.indexOf(testUuid(4)), file.size]).toEqual([1, -1, 2]);
  expect(rows(file)).toEqual(rows(anew(path)));
  expect(() => file.append([buildMessageEntry(5, sessionRootId)])).toThrow(/deleted, replaced or cut/);
  clock.mockRestore();
});

test.each([
  ['longer', (line: string) => line.replace('said', 'said at some more length')],
  ['as long', (line: string) => line.replace('said', 'told').replace('3', '9')],
])('[J22] a file that was rewritten in place, with %s lines, is not written to', (_how, other) => {
  for (const [name, look] of [
    ['read', true],
    ['in-a-row', false],
  ] as const) {
    const { path, file } = made(sessionHeaderLine, name);
    file.append([buildMessageEntry(3, sessionRootId)]);
    file.append([buildMessageEntry(4, testUuid(3))]);
    if (look) expect(file.size).toBe(3);
    const [first = '', ...lines] = readFileSync(path, 'utf8').split('\n');
    const anewText = [first, ...lines.map(other)].join('\n');
    writeFileSync(path, look ? anewText : anewText.replace(first, `${first} `));
    const { now } = Date;
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + 501);
    expect(() => file.append([buildMessageEntry(5, sessionRootId)])).toThrow(/deleted, replaced or cut/);
    clock.mockRestore();
    expect(readFileSync(path, 'utf8')).not.toContain(testUuid(5));
  }
});

test('[J43] the texts of long entries are released at the next save', () => {
  const { file } = made(sessionHeaderLine);
  file.append([{ ...buildMessageEntry(3, sessionRootId), long: 'x'.repeat(1 << 20) }]);
  file.append([buildMessageEntry(4, sessionRootId)]);
  // This call reads the table only, not the file.
  expect(file.uuidAt(1)).toBe(testUuid(3));
});

test('[J42] an open file gives the same results as a reopened one, whatever others write and whichever saves fail', () => {
  const points = ['before-append', 'after-append', 'before-fsync', 'after-fsync'] as const;
  const texts = [
    'plain',
    '漢字 🎄',
    '\ud800',
    'a\u0000b',
    '"x" \\',
    '{"type":"message","uuid":"x","parentUuid":"y","version":3}',
  ];
  const act = fc.record({
    what: fc.constantFrom(
      'save',
      'save',
      'commit',
      'theirs',
      'theirs',
      'half',
      'unended',
      'copy',
      'junk',
      'fault',
      'look',
    ),
    text: fc.constantFrom(...texts),
    above: fc.nat(30),
    cut: fc.double({ min: 0, max: 1, noNaN: true }),
    point: fc.constantFrom(...points),
  });
  let count = 0;
  fc.assert(
    fc.property(fc.array(act, { minLength: 5, maxLength: 40 }), (acts) => {
      const { path, file } = made(sessionHeaderLine, `row-${++count}`);
      const saved: string[] = [];
      const reported = (one: SessionFile) =>
        Array.from({ length: one.size }, (_, at) => [
          one.uuidAt(at),
          one.parentAt(at),
          one.isOurs(at),
          one.entryAt(at),
        ]);
      for (const [turn, { what, text, above, cut, point }] of acts.entries()) {
        const lines = readFileSync(path, 'utf8').split('\n');
        const entry = {
          ...buildMessageEntry(100 + turn, testUuid(100 + (above % (turn + 1)))),
          data: { said: `${turn}: ${text}` },
        };
        const theirs = JSON.stringify(entry);
        // Other tools write a line end first if the last line is complete.
        const begin = isWhole(lines.at(-1)) ? '\n' : '';
        if (what === 'save' || what === 'commit') {
          const more = what === 'save' ? [] : [{ ...buildMessageEntry(200 + turn, entry.uuid), at: turn }];
          try {
            file.append([entry, ...more], { actor: 'me' });
            saved.push(`${turn}: ${text}`);
          } catch (error) {
            if (!isAppError(error)) throw error;
          }
          armFault(null);
        } else if (what === 'fault') armFault({ point: `disk-session-${point}`, nth: 1, fault: 'enospc' });
        else if (what === 'look') file.refresh();
        else if (what === 'theirs') appendFileSync(path, `${begin}${theirs}\n`);
        else if (what === 'unended') appendFileSync(path, begin + theirs);
        else if (what === 'half') appendFileSync(path, begin + theirs.slice(0, Math.floor(cut * theirs.length)));
        else if (what === 'copy') appendFileSync(path, `${begin}${lines[1 + (above % lines.length)] ?? ''}\n`);
        else appendFileSync(path, `${begin}no line\u0000\n`);
      }
      armFault(null);
      file.refresh();
      const again = anew(path);
      expect(reported(file)).toEqual(reported(again));
      expect([file.version, file.warnings]).toEqual([again.version, again.warnings]);
      const all = new Set(reported(again).map(([, , , entry]) => JSON.stringify(entry)));
      for (const text of saved) expect([...all].some((line) => line.includes(JSON.stringify(text)))).toBe(true);
      for (const one of fixture.opened.splice(0)) one.close();
    }),
    { numRuns: 15 },
  );
});

const isWhole = (line = ''): boolean => {
  try {
    return typeof JSON.parse(line) === 'object';
  } catch {
    return false;
  }
};

test('[J14] an entry whose toJSON returns undefined is written with its fields', () => {
  const { file } = made(sessionHeaderLine);
  file.append([{ ...buildMessageEntry(3, sessionRootId), toJSON: () => undefined }]);
  expect(file.entryAt(file.indexOf(testUuid(3)))).toMatchObject(buildMessageEntry(3, sessionRootId));
});

test('[J25] whether entries of a long chain are live is found without walking the chain for each', () => {
  const lines = [sessionHeaderLine];
  for (let at = 0; at < 2000; at++)
    lines.push(`${JSON.stringify(buildMessageEntry(10 + at, at === 0 ? sessionRootId : testUuid(9 + at)))}\n`);
  const gone = {
    type: 'change',
    uuid: testUuid(3),
    parentUuid: sessionRootId,
    steps: [{ type: 'remove', nodeId: testUuid(1510) }],
  };
  const { file } = made([...lines, `${JSON.stringify(gone)}\n`].join(''));
  const index = new SessionIndex(file);
  const walked = vi.spyOn(file, 'parentAt');
  const live = Array.from({ length: file.size }, (_, at) => index.isLive(at));
  expect(live.filter((is) => is).length).toBe(1501);
  expect(walked.mock.calls.length).toBeLessThan(10 * file.size);
});
