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
    expect(await fixture.run(['config', 'set', 'model', 'offline/guide'])).toMatchObject({ code: 0 });
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
});
