import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openTestServer } from '@coppice/server/testing';
import { expect, test } from 'vitest';
import { openPage } from './browser.ts';

test('[O69] the browser is started with a code that signs it in once, and the token is in none of its arguments', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-browser-'));
  const seen = join(folder, 'seen');
  // Replaces the programs that open a browser. Each replacement records its command line, which other users could see,
  // in one atomic step.
  for (const name of ['xdg-open', 'open']) {
    writeFileSync(join(folder, name), `#!/bin/sh\necho "$0 $*" > '${seen}.part' && /bin/mv '${seen}.part' '${seen}'\n`);
    chmodSync(join(folder, name), 0o755);
  }
  const server = await openTestServer();
  const listening = await server.listen();
  expect(await openPage(listening, { DISPLAY: ':0', PATH: folder, SSH_CONNECTION: 'from afar' })).toBe(false);
  expect(await openPage(listening, { DISPLAY: ':0', PATH: folder })).toBe(true);
  while (!existsSync(seen)) await new Promise((resolve) => setTimeout(resolve, 10));
  const words = readFileSync(seen, 'utf8').trim();
  expect(words).not.toContain(server.token);
  const address = words.split(' ').at(-1) ?? '';
  const enter = async () => (await fetch(address, { redirect: 'manual' })).headers.get('set-cookie');
  expect(await enter()).toContain(server.token);
  expect(await enter()).toBeNull();
  await server.close();
  rmSync(folder, { recursive: true });
});
