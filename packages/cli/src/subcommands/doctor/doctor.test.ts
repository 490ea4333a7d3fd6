import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

describe('coppice doctor', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture();
  });
  afterEach(() => fixture.close());

  it('[O21] says what is there and what to do, and is well on a fresh machine', async () => {
    const { code, out } = await fixture.run(['doctor']);
    expect(code).toBe(0);
    for (const what of ['program', 'configuration', 'store', 'models', 'offline/guide']) expect(out).toContain(what);
    expect((await fixture.run(['doctor', '--store', 'memory:'])).out).toContain('when the process ends; Search');
  });

  it('[O53] names calls that could not be recorded until they are acknowledged', async () => {
    const folder = `${fixture.home}/.coppice/proxy-spill/failed`;
    mkdirSync(folder, { recursive: true });
    const note = { id: 'a', owner: 'local', at: 1, project: 'agent', wire: 'chat', model: 'm-1', status: 200 };
    writeFileSync(`${folder}/a.json`, JSON.stringify({ ...note, code: 'store/damaged', reason: 'Damaged.' }));
    const found = await fixture.run(['doctor']);
    expect(found.code).toBe(1);
    expect(found.out).toContain('coppice proxy --acknowledge');
    const listed = await fixture.run(['proxy', '--failed']);
    for (const word of ['agent', 'm-1', 'store/damaged', 'Damaged.']) expect(listed.out).toContain(word);
    expect((await fixture.run(['proxy', '--acknowledge'])).out).toContain('Acknowledged: 1.');
    expect((await fixture.run(['proxy', '--failed'])).out).toContain('Every call was recorded.');
    expect((await fixture.run(['doctor'])).code).toBe(0);
  });

  it('[O83] counts the models that a configured server has', async () => {
    const server = createServer((_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ object: 'list', data: [{ id: 'm-large' }, { id: 'm-small' }] }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    mkdirSync(`${fixture.home}/.coppice`, { recursive: true });
    const section = `[providers.rack]\nkind = "openai-compatible"\nbase_url = "http://127.0.0.1:${port}/v1"\n`;
    writeFileSync(`${fixture.home}/.coppice/config.toml`, `${section}[ollama]\ndetect = false\n`);
    try {
      expect((await fixture.run(['doctor'])).out).toContain('rack (2 models)');
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it('[O21] names a configuration that cannot be read', async () => {
    mkdirSync(`${fixture.home}/.coppice`, { recursive: true });
    writeFileSync(`${fixture.home}/.coppice/config.toml`, 'model = [');
    const { code, out } = await fixture.run(['doctor']);
    expect(code).toBe(1);
    expect(out).toContain('config.toml');
  });
});
