import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CliFixture, makeCliFixture } from '../../testing/index.ts';

describe('coppice config', () => {
  let fixture: CliFixture;
  let path: string;
  beforeEach(() => {
    fixture = makeCliFixture();
    path = join(fixture.home, '.coppice', 'config.toml');
  });
  afterEach(() => fixture.close());

  it('[O90] sets, reads and removes keys in a file that only the user can read', async () => {
    expect((await fixture.run(['config', 'path'])).out).toBe(`${path}\n`);
    expect((await fixture.run(['config', 'check'])).out).toContain('No file at');
    expect(await fixture.run(['config', 'set', 'tools.approval', 'always'])).toMatchObject({ code: 0 });
    const unusable = await fixture.run(['config', 'set', 'model', 'nope/x']);
    expect(unusable).toMatchObject({ code: 0 });
    expect(unusable.out).toMatch(/^Set model\.\nNo command can use it yet: model: "nope\/x" names no known provider\./);
    const set = await fixture.run(['config', 'set', 'model', 'offline/guide']);
    expect(set).toMatchObject({ code: 0, out: 'Set model.\n' });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect((await fixture.run(['config', 'get', 'tools.approval'])).out).toBe('always\n');
    expect(await fixture.json(['config', 'unset', 'model'])).toMatchObject({ changed: true });
    expect(await fixture.run(['config', 'get', 'model'])).toMatchObject({ code: 3 });
  });

  it('[O90] refuses invalid values, and writes nothing then', async () => {
    await fixture.run(['config', 'set', 'tools.approval', 'ask']);
    const before = readFileSync(path, 'utf8');
    for (const words of [
      ['tools.approval', 'perhaps'],
      ['tols.approval', 'ask'],
      ['nothing', 'here'],
    ]) {
      expect(await fixture.run(['config', 'set', ...words])).toMatchObject({ code: 2 });
      expect(readFileSync(path, 'utf8')).toBe(before);
    }
  });

  it('[O90] names file, line and key of an error, and never prints a secret', async () => {
    mkdirSync(join(fixture.home, '.coppice'));
    writeFileSync(path, 'modell = "x"\n[providers.openai]\napi_key = "sk-verysecret-1234"\n', { mode: 0o600 });
    const checked = await fixture.run(['config', 'check']);
    expect(checked).toMatchObject({ code: 1, out: expect.stringMatching(/config\.toml:1.*modell/) });
    const { out } = await fixture.run(['config', 'get', 'providers']);
    expect(out).toContain('ends in 1234');
    expect(out).not.toContain('verysecret');
    writeFileSync(path, 'model = \n');
    expect(await fixture.run(['config', 'check'])).toMatchObject({
      code: 2,
      out: expect.stringContaining('config.toml:1'),
    });
  });

  it('[O138] finds that the file that COPPICE_CONFIG names does not exist, as every command does', async () => {
    const missing = join(fixture.home, 'missing.toml');
    const own = makeCliFixture({ env: { COPPICE_CONFIG: missing } });
    try {
      expect(await own.run(['ls'])).toMatchObject({ code: 2 });
      const checked = await own.run(['config', 'check']);
      expect(checked).toMatchObject({ code: 2, out: expect.stringContaining(`${missing}: COPPICE_CONFIG names`) });
      expect(await own.run(['config', 'set', 'model', 'offline/guide'])).toMatchObject({ code: 0 });
      expect(await own.run(['config', 'check'])).toMatchObject({ code: 0 });
    } finally {
      own.close();
    }
  });

  it('[O138] reports all errors at once, each with its line and the allowed values', async () => {
    mkdirSync(join(fixture.home, '.coppice'));
    const lines = [
      'modle = "x"',
      '[tools]',
      'rounds = "many"',
      'approval = "perhaps"',
      '[providers.rack]',
      'kind = "nothing"',
      '[providers.openai]',
      'base_url = 7',
      '[limits]',
      'retries = 99',
    ];
    writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o600 });
    const { code, out } = await fixture.run(['config', 'check']);
    expect(code).toBe(2);
    for (const [line, key] of [
      [1, 'modle'],
      [3, 'tools.rounds'],
      [4, 'tools.approval'],
      [6, 'providers.rack.kind'],
      [8, 'providers.openai.base_url'],
      [10, 'limits.retries'],
    ] as const)
      expect(out).toMatch(new RegExp(`config\\.toml:${line}: ${key.replaceAll('.', '\\.')} `));
    expect(out).toContain('must be one of "ask", "never", "always"');
    expect(out).toContain('6 findings');
  });

  it('[O138] lists the findings by line, errors first', async () => {
    mkdirSync(join(fixture.home, '.coppice'));
    const lines = ['sttore = "x"', 'model = 5', '[limits]', 'retries = "five"', '[generate]', 'temperature = 9'];
    writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o600 });
    const { out } = await fixture.run(['config', 'check']);
    expect([...out.matchAll(/config\.toml:(\d+):/g)].map(([, line]) => line)).toEqual(['2', '4', '6', '1']);
  });

  it('[O138] finds stores and models that no command could use, and accepts the others', async () => {
    mkdirSync(join(fixture.home, '.coppice'));
    const check = async (...lines: readonly string[]) => {
      writeFileSync(path, `${lines.join('\n')}\n`, { mode: 0o600 });
      return fixture.run(['config', 'check']);
    };
    const wrong = await check(
      'store = "mongo://host/db"',
      'model = "nobody/none"',
      '[summaries]',
      'model = "offline/none"',
      '[generate]',
      'fallback_model = "gpt"',
    );
    expect(wrong.code).toBe(2);
    expect(wrong.out).toMatch(/config\.toml:1: store: There is no store of the kind "mongo:"\. Use one of files:, /);
    expect(wrong.out).toMatch(/config\.toml:2: model: "nobody\/none" names no known provider\. Name a model as/);
    expect(wrong.out).toMatch(/config\.toml:4: summaries\.model: .*has no model "none"/);
    expect(wrong.out).toMatch(/config\.toml:6: generate\.fallback_model: "gpt" names no known provider/);
    expect((await check('store = "./chats"')).out).toMatch(/config\.toml:1: store: No store exists at \.\/chats/);
    expect((await check('store = "http://127.0.0.1:4747"')).out).toMatch(/:1: store: .*--server/);
    const right = [
      'model = "lab/some-model"',
      '[providers.lab]',
      'kind = "openai-compatible"',
      'base_url = "http://h"',
    ];
    for (const store of ['postgresql://host/db', 'postgres://a,b/db?pool=2', 'sqlite:/x.db', './new.db', 'memory:'])
      expect(await check(`store = "${store}"`, ...right)).toMatchObject({ code: 0 });
    for (const model of ['openai', 'openai/gpt-99', 'ollama/anything'])
      expect(await check(`model = "${model}"`)).toMatchObject({ code: 0 });
  });
});
