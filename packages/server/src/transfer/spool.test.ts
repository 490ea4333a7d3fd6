import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readAllBytes } from '@coppice/content/formats';
import { afterAll, expect, test } from 'vitest';
import { openFileSource } from '../platform/node/open-file.ts';
import { spoolUpload, writeChunks } from '../platform/node/spool.ts';

const folder = mkdtempSync(join(tmpdir(), 'coppice-spool-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function* pieces(count: number, each = 100_000): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < count; index++) yield new Uint8Array(each).fill(index);
}

test('[TR5] an upload has no file name, is read completely or in ranges as often as needed, and is gone when it is closed', async () => {
  const spool = await spoolUpload(join(folder, 'made', 'when needed'), pieces(7));
  expect(readdirSync(join(folder, 'made', 'when needed'))).toEqual([]);
  const file = openFileSource(spool.sourceNamed('chats.zip'));
  expect([spool.size, file.name, file.size]).toEqual([700_000, 'chats.zip', 700_000]);
  for (let time = 0; time < 2; time++) {
    const bytes = await readAllBytes(file);
    expect([bytes.length, bytes[0], bytes[699_999]]).toEqual([700_000, 0, 6]);
  }
  expect(await file.read?.(99_999, 100_001)).toEqual(new Uint8Array([0, 1]));
  expect(await file.read?.(699_999, 800_000)).toEqual(new Uint8Array([6]));
  await spool.close();
  await expect(readAllBytes(file)).rejects.toThrow();
});

test('[TR5] an interrupted upload leaves nothing', async () => {
  const broken = async function* () {
    yield* pieces(2);
    throw new Error('gone');
  };
  await expect(spoolUpload(join(folder, 'broken'), broken())).rejects.toThrow('gone');
  expect(readdirSync(join(folder, 'broken'))).toEqual([]);
});

// Only Linux has a device on which every write fails.
test.runIf(process.platform === 'linux')('[TR6] a full disk is refused with that reason', async () => {
  const full = await open('/dev/full', 'r+');
  await expect(writeChunks(full, pieces(1))).rejects.toMatchObject({ code: 'store/full', kind: 'unavailable' });
  await full.close();
});
