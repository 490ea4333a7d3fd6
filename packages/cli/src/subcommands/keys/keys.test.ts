import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encryptedRecords, fileRecords, openRecordSecret, sharedKeysPath } from '@coppice/engine';
import { openModelServer } from '@coppice/engine/testing';
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

  it('[O121] a key of the environment is shown as such and not replaced', async () => {
    const launched = makeCliFixture({ home: fixture.home, env: { OPENAI_API_KEY: 'sk-canary-launched-0002' } });
    expect((await launched.run(['keys'])).out).toContain('key …0002 from OPENAI_API_KEY');
    const { code, err } = await launched.run(['keys', 'set', 'openai'], key);
    expect(code).toBe(4);
    expect(err).toContain('OPENAI_API_KEY');
    expect((await fixture.run(['keys', 'set'])).code).toBe(2);
    expect((await fixture.run(['keys', 'spin', 'openai'])).code).toBe(2);
  });

  it('[O124] the keys of a shared server are encrypted, rotated, and apart from those of one person', async () => {
    // Kept directly: setting it would ask the provider for its models.
    const source = { home: fixture.home, env: {} };
    const path = sharedKeysPath(source);
    const records = encryptedRecords(fileRecords(path), await openRecordSecret(source));
    await records.put('provider/openai', { kind: 'openai', origin: 'https://api.openai.com', key, addedAt: 1 });
    const before = readFileSync(path, 'utf8');
    expect(before).toContain('aes-256-gcm');
    expect(before).not.toContain(key);
    expect((await fixture.run(['keys', '--users'])).out).toContain('key …0001');
    expect((await fixture.run(['keys'])).out).not.toContain('0001');
    const secret = join(fixture.home, '.config', 'coppice', 'secret');
    expect(statSync(secret).mode & 0o777).toBe(0o600);
    const old = readFileSync(secret, 'utf8');
    expect(await fixture.json(['keys', 'rotate', '--users'])).toEqual({ rotated: 1 });
    expect(readFileSync(secret, 'utf8')).not.toBe(old);
    expect(readFileSync(path, 'utf8')).not.toBe(before);
    expect((await fixture.run(['keys', '--users'])).out).toContain('key …0001');
    writeFileSync(secret, old);
    expect((await fixture.run(['keys', '--users'])).code).toBe(5);
    expect((await fixture.run(['keys', 'rotate'])).code).toBe(2);
  });
});
