import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

describe('coppice doctor', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture();
  });
  afterEach(() => fixture.close());

  it('[O21] reports the setup and what to do, without problems on a new machine', async () => {
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

  it('[O136] reports a clock that is behind a change of the store', async () => {
    await fixture.createChat('Hello');
    expect((await fixture.run(['doctor'])).out).toMatch(/✓ clock: \d{4}-/);
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      vi.setSystemTime(Date.now() - 3_600_000);
      const late = await fixture.run(['doctor']);
      expect(late.code).toBe(1);
      expect(late.out).toMatch(/✗ clock: .* 60 minutes later/);
      vi.setSystemTime(Date.UTC(2001, 0, 1));
      expect((await fixture.run(['doctor'])).out).toContain('is wrong');
    } finally {
      vi.useRealTimers();
    }
  });

  it('[O137] prints a report without names, paths and keys', async () => {
    const secret = 'sk-a-key-that-is-never-shown';
    const own = makeCliFixture({ env: { OPENAI_API_KEY: secret } });
    await own.createChat('Hello');
    mkdirSync(`${own.home}/.coppice`, { recursive: true });
    const provider = '[providers.openai]\nbase_url = "http://127.0.0.1:1/v1"\napi_key_env = "OPENAI_API_KEY"\n';
    writeFileSync(`${own.home}/.coppice/config.toml`, provider);
    const { code, out } = await own.run(['doctor', '--report']);
    expect(code).toBe(0);
    for (const part of ['```text', 'ok   program: coppice', 'ok   store: sqlite at ~', 'openai (OPENAI_API_KEY)'])
      expect(out).toContain(part);
    for (const hidden of [own.home, hostname(), secret]) expect(out).not.toContain(hidden);
    own.close();
  });

  it('[O135] reports disk space, and keys by their origin without showing them', async () => {
    const secret = 'sk-a-key-that-is-never-shown';
    const own = makeCliFixture({ env: { RACK_KEY: `${secret}-2` } });
    mkdirSync(`${own.home}/.coppice`, { recursive: true });
    // Neither provider can be reached, so that nothing is sent.
    const address = 'base_url = "http://127.0.0.1:1/v1"';
    const text = `[providers.openai]
${address}
api_key = "${secret}"
[providers.rack]
kind = "openai-compatible"
${address}
api_key_env = "RACK_KEY"
[ollama]
detect = false
`;
    writeFileSync(`${own.home}/.coppice/config.toml`, text, { mode: 0o600 });
    try {
      const { out } = await own.run(['doctor']);
      expect(out).toMatch(/disk: [\d,]+ MB free/);
      expect(out).toContain('keys: openai (the configuration file), rack (RACK_KEY)');
      expect(out).not.toContain(secret);
    } finally {
      own.close();
    }
  });

  it('[O135] names files with keys that others can read', async () => {
    mkdirSync(`${fixture.home}/.coppice`, { recursive: true });
    const path = `${fixture.home}/.coppice/shared-keys.json`;
    writeFileSync(path, '{}');
    chmodSync(path, 0o644);
    const { code, out } = await fixture.run(['doctor']);
    // Windows has no permission bits.
    expect(code).toBe(process.platform === 'win32' ? 0 : 1);
    expect(out.includes(`chmod 600 ${path}`)).toBe(process.platform !== 'win32');
  });

  it('[O21] names an invalid configuration', async () => {
    mkdirSync(`${fixture.home}/.coppice`, { recursive: true });
    writeFileSync(`${fixture.home}/.coppice/config.toml`, 'model = [');
    const { code, out } = await fixture.run(['doctor']);
    expect(code).toBe(1);
    expect(out).toContain('config.toml');
    expect((await fixture.run(['doctor', '--report'])).code).toBe(1);
  });

  it('[O21] reports a problem once, not again for every check that it prevents', async () => {
    mkdirSync(`${fixture.home}/.coppice`, { recursive: true });
    writeFileSync(`${fixture.home}/.coppice/config.toml`, `store = "sqlite:${fixture.home}/missing/x.db"\n`);
    const { code, out } = await fixture.run(['doctor']);
    expect(code).toBe(1);
    expect(out.match(/^✗.*/gm)).toEqual([expect.stringContaining('✗ store: No store exists')]);
    expect(out).toContain('! recordings: not checked, because of the problem above (store)');
  });
});
