import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fetchPublicAddress } from '../platform/node/public-fetch.ts';
import { createProviders } from '../providers/index.ts';
import { openModelServer } from '../testing/index.ts';
import {
  createEncryptedSecretRecords,
  createFileSecretRecords,
  createMemorySecretRecords,
  findLocalModels,
  isPrivateAddress,
  isPrivateIp,
  localTokenPath,
  openLiveConfig,
  openLocalToken,
  openRecordSecret,
  reencryptSecretRecords,
  renewLocalToken,
} from './index.ts';

const key = 'sk-canary-entered-0001';

describe('connections', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'coppice-keys-'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const open = (env: Readonly<Record<string, string>> = {}, privateAddresses = true) =>
    openLiveConfig({
      home,
      env,
      records: createFileSecretRecords(join(home, '.coppice', 'keys.json')),
      rules: { privateAddresses },
      checkMs: 0,
    });

  test('[G200] an entered key works at once, is stored in a file that only its owner can read, and is read again after a restart', async () => {
    const server = await openModelServer({ key });
    const live = await open();
    const providers = createProviders({ config: live.current });
    live.onChange((config) => providers.reconfigure(config));
    const checked = await live.checkConnection({ name: 'mine', address: server.url, key });
    const models = await providers.tryConnection(checked.section);
    expect(models.map((model) => model.id)).toEqual(['small-model', 'large-model']);
    expect(providers.list().some((choice) => choice.provider === 'mine')).toBe(false);
    await live.keepConnection(
      'mine',
      checked,
      models.map((model) => model.id),
    );
    expect(await providers.defaultModel()).toBe('mine/small-model');
    const path = join(home, '.coppice', 'keys.json');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    chmodSync(path, 0o644);
    const again = await open();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(again.current.providers.get('mine')?.key?.lastFour).toBe('0001');
    expect(inspect(again.current, { depth: 9 }) + JSON.stringify([...again.current.providers])).not.toContain(key);
    expect(await again.removeConnection('mine')).toBe(true);
    expect(readFileSync(path, 'utf8')).not.toContain(key);
    await server.close();
  });

  test('[G201] a key is bound to the origin it was entered for; another address needs it again', async () => {
    const live = await open();
    const first = await live.checkConnection({ name: 'mine', address: 'https://one.example.org/v1', key });
    await live.keepConnection('mine', first, []);
    const moved = live.checkConnection({ name: 'mine', address: 'https://two.example.org/v1' });
    await expect(moved).rejects.toMatchObject({ code: 'keys/needed' });
    const samePlace = await live.checkConnection({ name: 'mine', address: 'https://one.example.org/v2' });
    expect(samePlace.section.key?.origin).toBe('https://one.example.org');
    // Edits of the file by another program are noticed too.
    const path = join(home, '.coppice', 'keys.json');
    writeFileSync(path, readFileSync(path, 'utf8').replace('one.example.org/v1', 'two.example.org/v1'));
    await live.sync();
    const edited = live.current.providers.get('mine');
    expect(edited?.baseUrl).toBe('https://two.example.org/v1');
    expect(() => edited?.key?.for('https://two.example.org/v1')).toThrow(/is not sent/);
  });

  test('[G202] keys of the configuration and the environment take precedence over entered ones', async () => {
    const live = await open();
    await live.keepConnection('openai', await live.checkConnection({ name: 'openai', key }), []);
    const launched = await open({ OPENAI_API_KEY: 'sk-canary-launched-0002' });
    expect(launched.current.providers.get('openai')?.keySource).toEqual({
      from: 'environment',
      variable: 'OPENAI_API_KEY',
    });
    const other = launched.checkConnection({ name: 'openai', key: 'sk-canary-other-00003' });
    await expect(other).rejects.toMatchObject({ code: 'keys/configured' });
  });

  test('[G203] the configuration is reread when its file changes; an invalid file keeps the previous settings', async () => {
    const live = await open();
    const path = join(home, '.coppice', 'config.toml');
    await live.chooseModels({ defaultModel: 'offline/guide' });
    writeFileSync(path, '[providers.near]\nkind = "openai-compatible"\nbase_url = "http://127.0.0.1:9/v1"\n');
    await live.sync();
    expect(live.current.providers.has('near')).toBe(true);
    expect(live.current.model).toBe('offline/guide');
    writeFileSync(path, '[providers.near\n');
    await live.sync();
    expect(live.problem).toContain('config.toml');
    expect(live.current.providers.has('near')).toBe(true);
    writeFileSync(path, 'model = "offline/babble"\n');
    await live.sync();
    expect(live.problem).toBeNull();
    expect(live.current.providers.has('near')).toBe(false);
  });

  test('[G200] an unreadable file of keys is refused and left unchanged', async () => {
    const path = join(home, 'keys.json');
    writeFileSync(path, '{ "version": 1, "records": ');
    const records = createFileSecretRecords(path);
    await expect(records.load()).rejects.toMatchObject({ code: 'keys/unreadable' });
    await expect(records.put('provider/openai', { key })).rejects.toMatchObject({ code: 'keys/unreadable' });
    expect(readFileSync(path, 'utf8')).toBe('{ "version": 1, "records": ');
  });

  test('[G204] a shared server refuses private addresses, by name, by number and when a name resolves to one', async () => {
    for (const address of [
      '127.0.0.1',
      '10.1.2.3',
      '172.20.0.1',
      '192.168.1.1',
      '169.254.169.254',
      '100.100.0.1',
      '0.0.0.0',
      '::1',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      'fe80::1',
      'fd00::1',
      '2002:7f00:1::',
      '64:ff9b::7f00:1',
    ])
      expect(isPrivateIp(address), address).toBe(true);
    for (const address of ['1.1.1.1', '8.8.8.8', '2606:4700:4700::1111'])
      expect(isPrivateIp(address), address).toBe(false);
    expect(isPrivateAddress('localhost')).toBe(true);
    expect(isPrivateAddress('metadata.google.internal')).toBe(true);
    expect(isPrivateAddress('api.openai.com')).toBe(false);
    const live = await open({}, false);
    for (const host of ['127.0.0.1:8000', 'localhost:8000', '[::1]:8000', '2130706433', '0x7f.1'])
      await expect(
        live.checkConnection({ name: 'mine', address: `http://${host}/v1`, key }),
        host,
      ).rejects.toMatchObject({ code: 'keys/address' });
    const server = await openModelServer();
    await expect(fetchPublicAddress(server.url)).rejects.toMatchObject({ code: 'keys/address' });
    await expect(fetchPublicAddress(server.url.replace('127.0.0.1', 'localhost'))).rejects.toMatchObject({
      code: 'keys/address',
    });
    expect(server.requests).toEqual([]);
    await server.close();
  });

  test('[G205] models of a local server are found, and remembered while it is not running', async () => {
    const server = await openModelServer({ models: ['qwen3'] });
    const found = createMemorySecretRecords();
    const options = { home, env: {}, found, records: createMemorySecretRecords(), rules: { privateAddresses: true } };
    writeFileSync(join(home, 'unused'), '');
    const live = await openLiveConfig(options);
    const providers = createProviders({ config: live.current });
    live.onChange((config) => providers.reconfigure(config));
    const asked: string[] = [];
    await findLocalModels(live, {
      tryConnection: (section, call) => {
        asked.push(section.name);
        return section.name === 'ollama'
          ? Promise.reject(new Error('not there'))
          : providers.tryConnection({ ...section, baseUrl: server.url }, call);
      },
    });
    expect(asked).toEqual(['ollama', 'lm-studio']);
    expect(providers.list()).toContainEqual(expect.objectContaining({ id: 'lm-studio/qwen3', ready: true }));
    await server.close();
    const again = await openLiveConfig(options);
    expect(again.current.providers.get('lm-studio')?.models).toEqual(['qwen3']);
  });

  test('[G206] the local token is made once, read again by a running process, and replaced as a whole', async () => {
    const path = localTokenPath({ home, env: {} });
    const [one, two] = await Promise.all([openLocalToken(path), openLocalToken(path)]);
    expect(one.current).toBe(two.current);
    expect(one.current).toHaveLength(43);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const renewed = await renewLocalToken(path);
    await one.sync();
    expect(one.current).toBe(renewed);
    expect(await two.renew()).not.toBe(renewed);
    rmSync(path);
    await one.sync();
    expect(one.current).toBe(renewed);
  });

  test('[G207] encrypted records are bound to their id and secret, and an interrupted rotation is finished', async () => {
    const inner = createMemorySecretRecords();
    const source = { home, env: { COPPICE_SECRET: 'a long enough secret' } };
    const records = createEncryptedSecretRecords(inner, await openRecordSecret(source));
    await records.put('provider/openai', { key });
    await records.put('provider/other', { key: 'another' });
    const sealed = await inner.load();
    expect(JSON.stringify([...sealed])).not.toContain(key);
    expect((await records.load()).get('provider/openai')).toEqual({ key });
    const other = createEncryptedSecretRecords(
      inner,
      await openRecordSecret({ home, env: { COPPICE_SECRET: 'another long secret' } }),
    );
    await expect(other.load()).rejects.toMatchObject({ code: 'keys/unreadable' });
    const rotated = {
      home,
      env: { COPPICE_SECRET: 'another long secret', COPPICE_SECRET_OLD: 'a long enough secret' },
    };
    expect(await reencryptSecretRecords(inner, rotated)).toBe(2);
    expect((await other.load()).size).toBe(2);
    // A record that was copied to another id cannot be decrypted.
    const swapped = (await inner.load()).get('provider/openai');
    await inner.put('provider/other', swapped ?? {});
    await expect(other.load()).rejects.toMatchObject({ code: 'keys/unreadable' });
    await expect(openRecordSecret({ home, env: { COPPICE_SECRET: 'short' } })).rejects.toMatchObject({
      code: 'keys/invalid',
    });
  });
});
