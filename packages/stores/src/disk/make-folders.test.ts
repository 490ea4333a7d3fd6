import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStore } from '../index.ts';
import { makeFolders } from './make-folders.ts';

describe('folders', () => {
  let place: string;
  beforeAll(() => {
    place = mkdtempSync(join(tmpdir(), 'coppice-folders-'));
  });
  afterAll(() => rmSync(place, { recursive: true, force: true }));

  test('[K148] are made with their parents, private on request, and an existing one is no error', () => {
    for (let times = 0; times < 2; times++) makeFolders(join(place, 'a', 'b'), 0o700);
    expect(statSync(join(place, 'a')).mode & 0o777).toBe(0o700);
    writeFileSync(join(place, 'file'), '');
    expect(() => makeFolders(join(place, 'file'))).toThrow('EEXIST');
    expect(() => makeFolders(join(place, 'file', 'below'))).toThrow('ENOTDIR');
  });

  // Below /proc, Linux reports a missing parent for a folder that cannot be created. Node's recursive mkdir then loops
  // forever.
  test.runIf(process.platform === 'linux')('[K148] that cannot be made are refused by every store', async () => {
    for (const url of ['sqlite:/proc/none/a.db', 'sqlite:/proc/version/a.db', 'files:/proc/none', 'jsonl:/proc/none'])
      await expect(openStore(url), url).rejects.toMatchObject({
        code: expect.stringMatching(/^store\/unavailable$/),
      });
  });
});
