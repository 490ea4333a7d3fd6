import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openInputHistory } from './input-history.ts';

describe('the input history', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'coppice-history-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('[O97] keeps texts with all their lines, not twice in a row, and skips damaged lines', () => {
    const path = join(folder, 'deep', 'history.jsonl');
    const first = openInputHistory(path);
    for (const text of ['one', 'two\nlines', 'two\nlines', 'x'.repeat(20_000)]) first.add(text);
    appendFileSync(path, '"cut o\n{}\n');
    expect(openInputHistory(path).texts).toEqual(['one', 'two\nlines']);
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('[O97] has a limited length, and a missing file is not an error', () => {
    const path = join(folder, 'history.jsonl');
    expect(openInputHistory(path).texts).toEqual([]);
    const history = openInputHistory(path);
    for (let at = 0; at < 1_100; at++) history.add(`text ${at}`);
    expect(openInputHistory(path).texts).toHaveLength(500);
    expect(readFileSync(path, 'utf8').trim().split('\n')).toHaveLength(500);
    expect(openInputHistory(folder).texts).toEqual([]);
    openInputHistory(folder).add('a folder is no file');
  });
});
