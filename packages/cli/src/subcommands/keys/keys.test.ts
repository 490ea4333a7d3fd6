import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SealedRecords } from '@coppice/core';
import {
  createEncryptedSecretRecords,
  createStoreSecretRecords,
  openLiveConfig,
  openRecordSecret,
} from '@coppice/engine';
import { openModelServer } from '@coppice/engine/testing';
import { openStore } from '@coppice/stores/open';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

const key = 'sk-canary-entered-0001';

describe('coppice keys', () => {
  let fixture: CliFixture;
  beforeEach(() => {
    fixture = makeCliFixture();
  });
  afterEach(() => fixture.close());

  it('[O121] sets a key from standard input, lists its last four characters, and removes it', async () => {
    const server = await openModelServer({ key });
    const set = await fixture.json(['keys', 'set', 'near', '--address', server.url], `${key}\n`);
    expect(set).toEqual({ name: 'near', models: 2, problem: null });
    const path = join(fixture.home, '.coppice', 'keys.json');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).toContain(key);
    const listed = await fixture.run(['keys']);
    expect(listed.out).toContain('key …0001');
    expect(listed.out).not.toContain(key);
    const said = await fixture.run(['chat', '-p', 'Hello', '--model', 'near/small-model']);
    expect(said.out).toContain('Hello from the fake server.');
    expect((await fixture.run(['keys', 'remove', 'near'])).code).toBe(0);
    expect(readFileSync(path, 'utf8')).not.toContain(key);
    expect((await fixture.run(['keys', 'remove', 'near'])).code).toBe(3);
    await server.close();
  });

  it('[O121] without a key on standard input the error says how to pass one', async () => {
    const { code, err } = await fixture.run(['keys', 'set', 'openai'], '');
    expect(code).toBe(2);
    expect(err).toContain('coppice keys set openai < key.txt');
  });

  it('[O121] a key of the environment is shown as one and not replaced', async () => {
    const launched = makeCliFixture({ home: fixture.home, env: { OPENAI_API_KEY: 'sk-canary-launched-0002' } });
    expect((await launched.run(['keys'])).out).toContain('key …0002 from OPENAI_API_KEY');
    const { code, err } = await launched.run(['keys', 'set', 'openai'], key);
    expect(code).toBe(4);
    expect(err).toContain('OPENAI_API_KEY');
    expect((await fixture.run(['keys', 'set'])).code).toBe(2);
    expect((await fixture.run(['keys', 'spin', 'openai'])).code).toBe(2);
  });

  it('[O124] the keys of a shared server are encrypted, can be rotated, and are separate from those of one person', async () => {
    // Stored directly, because `keys set` would request the models of the provider.
    const source = { home: fixture.home, env: {} };
    const rows = async <T>(work: (sealed: SealedRecords) => Promise<T>): Promise<T> => {
      const store = await openStore(`sqlite:${join(fixture.home, '.coppice', 'coppice.db')}`);
      try {
        if (store.sealed === null) throw new Error('A database has records.');
        return await work(store.sealed);
      } finally {
        await store.close();
      }
    };
    await fixture.run(['append', '--new', 'Hello']);
    await rows(async (sealed) =>
      createEncryptedSecretRecords(createStoreSecretRecords(sealed), await openRecordSecret(source)).put(
        'provider/openai',
        {
          kind: 'openai',
          origin: 'https://api.openai.com',
          key,
          addedAt: 1,
        },
      ),
    );
    const stored = () => rows(async (sealed) => JSON.stringify([...(await sealed.load())]));
    const before = await stored();
    expect(before).toContain('aes-256-gcm');
    expect(before).not.toContain(key);
    expect((await fixture.run(['keys', '--users'])).out).toContain('key …0001');
    expect((await fixture.run(['keys'])).out).not.toContain('0001');
    const secret = join(fixture.home, '.config', 'coppice', 'secret');
    expect(statSync(secret).mode & 0o777).toBe(0o600);
    const old = readFileSync(secret, 'utf8');
    expect(await fixture.json(['keys', 'rotate', '--users'])).toEqual({ rotated: 1 });
    expect(readFileSync(secret, 'utf8')).not.toBe(old);
    expect(await stored()).not.toBe(before);
    expect((await fixture.run(['keys', '--users'])).out).toContain('key …0001');
    const backup = join(fixture.home, 'copy.db');
    expect((await fixture.run(['backup', backup])).code).toBe(0);
    const bytes = readFileSync(backup).toString('latin1');
    for (const held of [key, 'aes-256-gcm', readFileSync(secret, 'utf8').trim()]) expect(bytes).not.toContain(held);
    writeFileSync(secret, old);
    expect((await fixture.run(['keys', '--users'])).code).toBe(5);
    expect((await fixture.run(['keys', 'rotate'])).code).toBe(2);
  });

  it('[O124] two servers on one database share the keys of its users', async () => {
    const url = `sqlite:${join(fixture.home, 'team.db')}`;
    const source = { home: fixture.home, env: { COPPICE_SECRET: 'the same on all servers' } };
    const openServer = async () => {
      const store = await openStore(url);
      if (store.sealed === null) throw new Error('A database has records.');
      const records = createEncryptedSecretRecords(
        createStoreSecretRecords(store.sealed),
        await openRecordSecret(source),
      );
      return {
        store,
        live: await openLiveConfig({ ...source, records, rules: { privateAddresses: false }, checkMs: 0 }),
      };
    };
    const [one, two] = [await openServer(), await openServer()];
    await one.live.keepConnection('openai', await one.live.checkConnection({ name: 'openai', key }), []);
    await two.live.sync();
    expect(two.live.current.providers.get('openai')?.key?.lastFour).toBe('0001');
    await two.live.removeConnection('openai');
    await one.live.sync();
    expect(one.live.current.providers.get('openai')?.key).toBeUndefined();
    await Promise.all([one.store.close(), two.store.close()]);
  });
});
