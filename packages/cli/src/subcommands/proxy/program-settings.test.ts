import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type FakeProvider, openFakeProvider } from '@coppice/engine/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeCliFixture } from '../../testing/index.ts';

const agent = join(dirname(fileURLToPath(import.meta.resolve('@mariozechner/pi-coding-agent'))), 'cli.js');

interface Started {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const own = { PATH: process.env['PATH'], KEPT: 'yes' };

describe('coppice proxy -- a known program', () => {
  /** Runs a program of this name that only records its arguments and its environment. */
  async function started(name: string, config = '', env: Readonly<Record<string, string>> = {}): Promise<Started> {
    const other = makeCliFixture({ env: { ...own, ...env } });
    const out = join(other.home, 'started.json');
    const program = join(other.home, name);
    mkdirSync(join(other.home, '.coppice'));
    writeFileSync(join(other.home, '.coppice', 'config.toml'), config);
    writeFileSync(
      program,
      `#!${process.execPath}
      require('fs').writeFileSync(${JSON.stringify(out)}, JSON.stringify({ words: process.argv.slice(2), env: process.env }));`,
    );
    chmodSync(program, 0o755);
    try {
      expect(await other.run(['proxy', '--', program, 'first', '--second'])).toMatchObject({ code: 0 });
      return JSON.parse(readFileSync(out, 'utf8'));
    } finally {
      await other.close();
    }
  }

  /** Returns the variables that differ from the user's environment, without those that the system adds. */
  function changed({ env }: Started, before: Readonly<Record<string, string>> = {}): Record<string, string> {
    const isOwn = ([name, value]: [string, string]) =>
      !/^(?:HOME|PATH|KEPT|NODE_|COPPICE_HOME|__CF)/.test(name) && before[name] !== value;
    return Object.fromEntries(
      Object.entries(env)
        .filter(isOwn)
        .map(([name, value]) => [
          name,
          value
            .replace(/http:\/\/127\.0\.0\.1:\d+/g, '<url>')
            .replace(/[\w-]{43}/g, '<token>')
            .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<id>'),
        ]),
    );
  }

  const key = (service: string) => `[providers.${service}]\napi_key = "key-of-the-operator-0001"\n`;

  it('[O132] claude gets its address, and the token as a header beside its own sign-in, or as its key if Coppice has one', async () => {
    expect(changed(await started('claude'))).toEqual({
      ANTHROPIC_BASE_URL: '<url>/p/claude',
      ANTHROPIC_CUSTOM_HEADERS: 'x-coppice-token: <token>',
    });
    const headers = { ANTHROPIC_CUSTOM_HEADERS: 'x-mine: 1' };
    expect(changed(await started('claude', '', headers))).toMatchObject({
      ANTHROPIC_CUSTOM_HEADERS: 'x-mine: 1\nx-coppice-token: <token>',
    });
    const keyed = await started('claude', key('anthropic'), { ANTHROPIC_API_KEY: 'sk-of-the-user-1234567' });
    expect(changed(keyed)).toEqual({ ANTHROPIC_BASE_URL: '<url>/p/claude', ANTHROPIC_AUTH_TOKEN: '<token>' });
    expect(keyed.words).toEqual(['first', '--second']);
  });

  it('[O132] codex gets a provider by arguments before its own, and the token only in a variable', async () => {
    const plain = await started('codex');
    expect(changed(plain)).toEqual({ COPPICE_PROXY_TOKEN: '<token>' });
    expect(plain.words.slice(-2)).toEqual(['first', '--second']);
    const settings = plain.words.slice(0, -2).filter((word) => word !== '-c');
    expect(settings.map((word) => word.replace(/http:\/\/127\.0\.0\.1:\d+/, '<url>'))).toEqual([
      'model_provider="coppice"',
      'model_providers.coppice.name="OpenAI through Coppice"',
      'model_providers.coppice.base_url="<url>/p/codex/v1"',
      'model_providers.coppice.wire_api="responses"',
      'model_providers.coppice.env_http_headers={ "x-coppice-token" = "COPPICE_PROXY_TOKEN" }',
      'model_providers.coppice.requires_openai_auth=true',
    ]);
    const keyed = await started('codex', key('openai'));
    expect(keyed.words).toContain('model_providers.coppice.env_key="COPPICE_PROXY_TOKEN"');
    expect(keyed.words.join(' ')).not.toContain('x-coppice-token');
  });

  it('[O132] gemini, opencode and aider get the variables that they read and nothing else', async () => {
    expect(changed(await started('gemini'))).toEqual({
      GOOGLE_GEMINI_BASE_URL: '<url>/p/gemini',
      GEMINI_CLI_CUSTOM_HEADERS: 'x-coppice-run: <id>, x-coppice-token: <token>',
    });
    expect(changed(await started('gemini', key('google')))).toEqual({
      GOOGLE_GEMINI_BASE_URL: '<url>/p/gemini',
      GEMINI_API_KEY: '<token>',
      GEMINI_CLI_CUSTOM_HEADERS: 'x-coppice-run: <id>',
    });
    expect(changed(await started('aider'))).toEqual({
      OPENAI_API_BASE: '<url>/p/aider/v1',
      OPENAI_API_KEY: '<token>',
      ANTHROPIC_API_BASE: '<url>/p/aider',
      ANTHROPIC_API_KEY: '<token>',
    });
    const before = { OPENCODE_CONFIG_CONTENT: '{"theme":"dark","provider":{"openai":{"name":"Mine"}}}' };
    const { OPENCODE_CONFIG_CONTENT: config = '', ...rest } = changed(
      await started('opencode', key('anthropic'), before),
    );
    expect(rest).toEqual({ COPPICE_PROXY_TOKEN: '<token>' });
    const headers = { 'x-coppice-token': '{env:COPPICE_PROXY_TOKEN}' };
    expect(JSON.parse(config)).toEqual({
      theme: 'dark',
      provider: {
        openai: { name: 'Mine', options: { baseURL: '<url>/p/opencode/v1', headers } },
        anthropic: { options: { baseURL: '<url>/p/opencode/v1', apiKey: '{env:COPPICE_PROXY_TOKEN}' } },
        google: { options: { baseURL: '<url>/p/opencode/v1beta', headers } },
      },
    });
    const broken = makeCliFixture({ env: { ...own, OPENCODE_CONFIG_CONTENT: '[1]' } });
    expect(await broken.run(['proxy', '--', 'opencode'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('OPENCODE_CONFIG_CONTENT is not a JSON object'),
    });
    await broken.close();
  });

  it('[O132] any other program gets the variables that clients of the services read', async () => {
    expect(changed(await started('agent', '', { ANTHROPIC_AUTH_TOKEN: 'mine' }))).toEqual({
      OPENAI_BASE_URL: '<url>/p/agent/v1',
      OPENAI_API_BASE: '<url>/p/agent/v1',
      ANTHROPIC_BASE_URL: '<url>/p/agent',
      OPENAI_API_KEY: '<token>',
      ANTHROPIC_API_KEY: '<token>',
    });
  });

  describe('coppice proxy -- an installed pi', () => {
    let service: FakeProvider;
    beforeEach(async () => {
      service = await openFakeProvider([{ text: 'Oak.' }]);
    });
    afterEach(() => service.close());

    it('[O132] its own key is sent to the service, and the call is recorded', { tags: ['full'] }, async () => {
      const other = makeCliFixture({ env: { ...own, ANTHROPIC_API_KEY: 'sk-ant-of-the-user-0001' } });
      mkdirSync(join(other.home, '.coppice'));
      writeFileSync(join(other.home, '.coppice', 'config.toml'), `[proxy]\nanthropic = "${service.url}"\n`);
      const program = join(other.home, 'pi');
      // Without this the program would wait for the end of the test's input.
      writeFileSync(
        program,
        `#!${process.execPath}
        const { status } = require('child_process').spawnSync(
          process.execPath, [${JSON.stringify(agent)}, ...process.argv.slice(2)],
          { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, PI_CODING_AGENT_DIR: ${JSON.stringify(join(other.home, 'agent'))} } },
        );
        process.exit(status);`,
      );
      chmodSync(program, 0o755);
      const words = ['--offline', '--no-session', '--thinking', 'off', '--provider', 'anthropic'];
      const model = ['--model', 'claude-sonnet-4-5', '-p', 'Which tree?'];
      const ran = await other.run(['proxy', '--json', '--', program, ...words, ...model]);
      expect(ran).toMatchObject({ code: 0 });
      expect(JSON.parse(ran.out)).toMatchObject({ project: 'pi', trees: [{ nodes: 2 }] });
      // Our extension sends the session and the program, because pi itself sends neither.
      const { recorded } = JSON.parse(ran.out).trees[0].tree.attributes.metadata;
      expect(recorded).toMatchObject({ program: 'pi', session: expect.stringMatching(/^[0-9a-f-]{36}$/) });
      expect(service.requests[0]?.headers).toMatchObject({ 'x-api-key': 'sk-ant-of-the-user-0001' });
      expect(service.requests[0]?.headers).not.toHaveProperty('x-coppice-token');
      await other.close();
    });
  });
});
