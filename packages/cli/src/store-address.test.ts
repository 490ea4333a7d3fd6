import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, win32 } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { toStoreUrl } from './store-address.ts';
import { makeCliFixture } from './testing/index.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'coppice-address-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

test('[O91] a path names the existing store, and a new one by its file extension', () => {
  const urlOf = (address: string) => toStoreUrl(address, { cwd, home: cwd }).replace(cwd, '.');
  mkdirSync(join(cwd, 'trees'));
  writeFileSync(join(cwd, 'trees', 'roots.json'), '{}');
  mkdirSync(join(cwd, 'sessions'));
  writeFileSync(join(cwd, 'sessions', 'one.jsonl'), '');
  writeFileSync(join(cwd, 'mine'), '');
  expect(['trees', 'sessions', 'sessions/one.jsonl', 'mine'].map(urlOf)).toEqual([
    'files:./trees',
    'jsonl:./sessions',
    'jsonl:./sessions/one.jsonl',
    'sqlite:./mine',
  ]);
  expect(['new.db', '~/new.sqlite', 'new.jsonl'].map(urlOf)).toEqual([
    'sqlite:./new.db',
    'sqlite:./new.sqlite',
    'jsonl:./new.jsonl',
  ]);
  expect(['memory:', 'postgres://host/db', 'SQLITE:x'].map(urlOf)).toEqual([
    'memory:',
    'postgres://host/db',
    'SQLITE:x',
  ]);
  expect(() => urlOf('http://127.0.0.1:4747')).toThrow(/--server/);
  expect(() => urlOf('nowhere')).toThrow(/sqlite:nowhere, files:nowhere or jsonl:nowhere/);
});

test('[O91] every command accepts a path, and so does the command that it suggests', async () => {
  const fixture = makeCliFixture();
  const { out } = await fixture.run(['append', '--new', 'Hello', '--store', 'here.db']);
  const [, line = ''] = /Undo with coppice (.*)\.\n$/.exec(out) ?? [];
  expect(await fixture.run(line.split(' '))).toMatchObject({ code: 0 });
  expect(await fixture.json(['ls', '--store', 'here.db'])).toMatchObject({ items: [{ activeNodeId: null }] });
  fixture.close();
});

test('[O91] a Windows path is recognised, with a drive or with the home', () => {
  const place = { cwd: 'C:\\Users\\ann\\work', home: 'C:\\Users\\ann' };
  const urlOf = (address: string) => toStoreUrl(address, place, win32);
  expect(urlOf('D:\\chats\\all.db')).toBe('sqlite:D:\\chats\\all.db');
  expect(urlOf('all.db')).toBe('sqlite:C:\\Users\\ann\\work\\all.db');
  expect(urlOf('~\\all.sqlite')).toBe('sqlite:C:\\Users\\ann\\all.sqlite');
});
