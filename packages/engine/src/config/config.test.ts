import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { configPath, type EnvironmentVariables, loadConfig, parseConfig } from './load.ts';
import { listSettings } from './settings.ts';
import { findLineOfKey, type Setting } from './toml.ts';

const parse = (text: string, env: EnvironmentVariables = {}) =>
  parseConfig({ name: '/home/me/.coppice/config.toml', text }, env);

const full = `
model = "lab/qwen3"
cheap_model = "openai/gpt-5-nano"
store = "sqlite:/tmp/x.db"

[providers.openai]
api_key = "sk-from-the-file-1234567"

[providers.lab]
kind = "openai-compatible"
label = "The lab"
base_url = "http://127.0.0.1:8000/v1/"
api_key_env = "LAB_KEY"
models = ["qwen3", "llama"]
default_model = "qwen3"
headers = { "x-team" = "trees" }

[models."lab/qwen3"]
window = 131072
max_output = 16384
price = { input = 0, output = 0.5, cache_read = 0.1 }
images = false

[generate]
temperature = 0.7
thinking = "low"

[tools]
approval = "never"
deny = ["shell"]
rounds = 5
timeout_seconds = 2.5

[budgets]
turn_usd = 0.5

[limits]
first_byte_seconds = 10
retries = 1

[mcp.servers.files]
command = ["npx", "server-filesystem", "/tmp"]
env = { TOKEN = "very-hidden-token" }
pass_env = ["HOME"]

[mcp.servers.web]
url = "https://mcp.example.org/mcp"
api_key = "mcp-key-very-hidden"
enabled = false

[offline]
delay_ms = 0
[ollama]
detect = false
[compaction]
automatic = false
change_tools = ["patch"]
[summaries]
model = "anthropic/claude-haiku-4-5"
`;

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

async function home(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'config-test-'));
  folders.push(folder);
  await mkdir(join(folder, '.coppice'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

describe('the configuration', () => {
  it('[G80] is one file of TOML, typed to the last field', () => {
    const config = parse(full, { LAB_KEY: 'lab-key-from-env' });
    expect(config).toMatchObject({
      model: 'lab/qwen3',
      cheapModel: 'openai/gpt-5-nano',
      store: 'sqlite:/tmp/x.db',
      generate: { temperature: 0.7, thinking: 'low' },
      compaction: { automatic: false, readTools: [], changeTools: ['patch'] },
      summaries: { model: 'anthropic/claude-haiku-4-5' },
      tools: { approval: 'never', deny: ['shell'], rounds: 5, calls: 50, timeoutMs: 2500 },
      budgets: { turnUsd: 0.5, dayUsd: null, turnTokens: null },
      limits: { firstByteMs: 10_000, retries: 1 },
      offline: { delayMs: 0 },
      detectOllama: false,
      warnings: [],
    });
    expect(config.providers.get('lab')).toMatchObject({
      kind: 'openai-compatible',
      baseUrl: 'http://127.0.0.1:8000/v1',
      models: ['qwen3', 'llama'],
      headers: { 'x-team': 'trees' },
    });
    expect(config.providers.get('lab')?.key?.for('http://127.0.0.1:8000/v1/models')).toBe('lab-key-from-env');
    expect(config.models.get('lab/qwen3')).toEqual({
      window: 131_072,
      maxOut: 16_384,
      price: { input: 0, output: 0.5, cacheRead: 0.1 },
      images: false,
    });
    const files = config.mcpServers.get('files');
    expect(files).toMatchObject({
      transport: 'stdio',
      command: ['npx', 'server-filesystem', '/tmp'],
      passEnv: ['HOME'],
      timeoutMs: 60_000,
    });
    expect(files?.transport === 'stdio' && files.env.get('TOKEN')?.reveal()).toBe('very-hidden-token');
    expect(config.mcpServers.get('web')).toMatchObject({ transport: 'http', enabled: false });
    expect(config.mcpWrites).toBe(false);
    expect(config.server).toEqual({});
    expect(parseConfig({ name: 'c.toml', text: '[server]\nimport_bytes = 2048' }, {}).server).toEqual({
      importBytes: 2048,
    });
    expect(parseConfig({ name: 'c.toml', text: '[server]\norigins = ["http://localhost:5173"]' }, {}).server).toEqual({
      origins: ['http://localhost:5173'],
    });
    const origins = ['"*"', '"https://*.example.org"', '"https://a.example/"', '"a.example"', '"null"', '1'];
    for (const wrong of ['import_bytes = "4 GB"', 'import_bytes = 0', ...origins.map((each) => `origins = [${each}]`)])
      expect(() => parseConfig({ name: 'c.toml', text: `[server]\n${wrong}` }, {})).toThrow('c.toml:2');
    expect(parseConfig({ name: 'c.toml', text: '[mcp]\nwrites = true' }, {}).mcpWrites).toBe(true);
  });

  it('[G81] shows no secret when it is printed, serialised or refused', () => {
    const config = parse(full, { LAB_KEY: 'lab-key-from-env' });
    const shown = [
      inspect(config, { depth: null, showHidden: true }),
      JSON.stringify([...config.providers.values(), ...config.mcpServers.values()]),
      `${config.providers.get('openai')?.key}`,
    ];
    for (const text of shown) {
      expect(text).toContain('«hidden»');
      for (const secret of ['sk-from-the-file', 'lab-key-from-env', 'very-hidden-token', 'mcp-key-very-hidden'])
        expect(text).not.toContain(secret);
    }
    for (const text of [
      '[providers.openai]\napi_key = "sk-half-a-key-1234567',
      '[providers.openai]\napi_key = "sk-half-a-key-1234567"\napi_key_env = "X"',
    ]) {
      expect(() => parse(text)).toThrow(/config\.toml:[23]/);
      expect(() => parse(text)).not.toThrow('half-a-key');
    }
  });

  it.each([
    ['model = 7', 'config.toml:1: model must be a non-empty text'],
    ['\n[tools]\nrounds = "many"', 'config.toml:3: tools.rounds must be a whole number from 1 up to 1000'],
    ['[tools]\nrounds = 2.5', 'tools.rounds must be a whole number from 1 up to 1000'],
    ['[generate]\ntemperature = 9', 'generate.temperature must be a number from 0 up to 2'],
    ['[tools]\napproval = "maybe"', 'config.toml:2: tools.approval must be one of "ask", "never", "always"'],
    ['[providers.nobody]', 'config.toml:1: providers.nobody is not a known provider'],
    ['[providers.lab]\nkind = "openai-compatible"', 'providers.lab needs base_url'],
    ['[providers.openai]\nbase_url = "ftp://x"', 'config.toml:2: providers.openai.base_url must be an http'],
    ['[providers.openai]\nbase_url = "https://me:word@x"', 'without user name and password'],
    ['[providers.openai]\nheaders = { Authorization = "Bearer x" }', 'must not contain Authorization'],
    ['[providers.openai]\nheaders = { x = "a\\nb" }', 'which is not a valid header name'],
    ['[models.gpt]\nwindow = 1', 'config.toml:1: models.gpt must be named provider/model'],
    ['[mcp.servers.x]\nenabled = true', 'needs either command, a list of texts, or url'],
    ['[mcp.servers.x]\ncommand = "npx server"', 'config.toml:2: mcp.servers.x.command must be a list of texts'],
    ['[mcp.servers.x]\ncommand = ["a"]\ncwd = "here"', 'must be an absolute path'],
    ['[catalogue]\nfile = "models.json"', 'must be an absolute path'],
    ['providers = 3', 'providers must be a table, written [providers]'],
    ['a = [', 'this is not TOML'],
    ['model = offline/guide', 'config.toml:1:9: this is not TOML (invalid value). Write texts in quotes'],
  ])('[G82] refuses with file, line and key: %j', (text, words) => {
    expect(() => parse(text)).toThrow(words);
    expect(() => parse(text)).toThrow(expect.objectContaining({ code: 'config/invalid', kind: 'invalid' }));
  });

  it('[G82] warns of unknown keys, with their position', () => {
    expect(parse('[tools]\nround = 3\n\n[telemetry]\non = true').warnings).toEqual([
      {
        where: '/home/me/.coppice/config.toml:2',
        message: 'tools.round is not known and has no effect (did you mean rounds?).',
      },
      { where: '/home/me/.coppice/config.toml:4', message: 'telemetry is not known and has no effect.' },
    ]);
    expect(parse('[providers.openai]\napi_key_env = "NOT_SET"').warnings[0]?.message).toContain(
      'names a variable that is not set',
    );
  });

  it('[G82] finds the line of a key under quoted, dotted and nested tables', () => {
    const text = '# top\n[models."a/b"]\nwindow = 1\n[x]\n"y z".w = 2\n[[list]]\nk = 1\n';
    expect(findLineOfKey(text, ['models', 'a/b', 'window'])).toBe(3);
    expect(findLineOfKey(text, ['x', 'y z', 'w'])).toBe(5);
    expect(findLineOfKey(text, ['models', 'a/b', 'missing'])).toBe(2);
    expect(findLineOfKey(text, ['nowhere'])).toBeNull();
  });

  it('[G83] finds keys in the environment, each for its own host', () => {
    const env = {
      OPENAI_API_KEY: ' sk-openai-1 ',
      GOOGLE_API_KEY: 'g-key-123',
      ANTHROPIC_API_KEY: '',
      OLLAMA_HOST: '0.0.0.0',
    };
    const { providers } = parseConfig(null, env);
    expect([...providers.keys()].sort()).toEqual(['google', 'ollama', 'openai']);
    expect(providers.get('openai')?.key?.for('https://api.openai.com/v1/x')).toBe('sk-openai-1');
    expect(() => providers.get('openai')?.key?.for('https://evil.example.org')).toThrow('is not sent');
    expect(providers.get('ollama')?.baseUrl).toBe('http://127.0.0.1:11434');
    expect(parseConfig(null, { OLLAMA_HOST: 'box:8080' }).providers.get('ollama')?.baseUrl).toBe('http://box:8080');
  });

  it('[G83] does not send a key of the environment to another base URL unless configured to', () => {
    const text = '[providers.openai]\nbase_url = "https://proxy.example.org/v1"';
    const config = parse(text, { OPENAI_API_KEY: 'sk-openai-1' });
    expect(config.providers.get('openai')?.key).toBeUndefined();
    expect(config.warnings[0]).toMatchObject({ where: '/home/me/.coppice/config.toml:1' });
    expect(config.warnings[0]?.message).toContain('OPENAI_API_KEY is not sent to proxy.example.org');
    const reported = parse(`${text}\napi_key_env = "OPENAI_API_KEY"`, { OPENAI_API_KEY: 'sk-openai-1' });
    expect(reported.providers.get('openai')?.key?.for('https://proxy.example.org/v1/x')).toBe('sk-openai-1');
  });

  it('[G84] is read from the home directory, or from COPPICE_CONFIG; the current directory is ignored', async () => {
    const folder = await home({
      '.coppice/config.toml': 'model = "a/b"',
      'other.toml': 'model = "c/d"',
      'config.toml': 'model = "evil/x"',
    });
    expect((await loadConfig({ env: {}, home: folder })).model).toBe('a/b');
    expect((await loadConfig({ env: { COPPICE_CONFIG: '~/other.toml' }, home: folder })).model).toBe('c/d');
    expect((await loadConfig({ env: { COPPICE_MODEL: 'e/f' }, home: folder })).model).toBe('e/f');
    expect(() => configPath({ env: { COPPICE_CONFIG: 'config.toml' }, home: folder })).toThrow('current directory');
    const before = process.cwd();
    process.chdir(folder);
    try {
      const empty = await home({});
      expect(await loadConfig({ env: {}, home: empty })).toMatchObject({ file: null, warnings: [] });
      expect((await loadConfig({ env: {}, home: empty })).model).toBeUndefined();
    } finally {
      process.chdir(before);
    }
  });

  it('[G84] is refused if a named file is missing; a missing default file means an empty configuration', async () => {
    const folder = await home({});
    expect((await loadConfig({ env: {}, home: folder })).file).toBeNull();
    expect((await loadConfig({ env: {}, home: '/dev/null' })).file).toBeNull();
    const env = { COPPICE_CONFIG: join(folder, 'nowhere.toml') };
    await expect(loadConfig({ env, home: folder })).rejects.toMatchObject({
      code: 'config/unreadable',
      kind: 'invalid',
    });
  });

  it('[G85] is never written, expands nothing, and warns when others can read a key in it', async () => {
    const text = '[providers.openai]\napi_key = "${HOME}/key-1234567"\n';
    const folder = await home({ '.coppice/config.toml': text });
    const file = join(folder, '.coppice', 'config.toml');
    await chmod(file, 0o644);
    const config = await loadConfig({ env: { HOME: '/root' }, home: folder });
    expect(config.providers.get('openai')?.key?.for('https://api.openai.com')).toBe('${HOME}/key-1234567');
    expect(config.warnings.map((warning) => warning.message)).toEqual([
      'The file contains a key and other users can read it; run chmod 600 on it.',
    ]);
    expect(await readFile(file, 'utf8')).toBe(text);
    await chmod(file, 0o600);
    expect((await loadConfig({ env: {}, home: folder })).warnings).toEqual([]);
  });
});

describe('the reference of settings', () => {
  const settings = listSettings();
  const pathsOf = (list: readonly Setting[]) => list.map(({ path }) => path.join('.'));

  it('[G86] lists each setting once, with a description, type, bounds and default', () => {
    const paths = pathsOf(settings);
    expect(new Set(paths).size).toBe(paths.length);
    expect(settings.filter(({ about }) => !/^[A-Z].*\.$/.test(about))).toEqual([]);
    expect(settings.find(({ path }) => path.join('.') === 'tools.rounds')).toMatchObject({
      kind: 'whole number',
      bounds: { min: 1, max: 1000 },
      default: parse('').tools.rounds,
    });
  });

  it('[G86] lists every setting that a file with all kinds of sections reads', () => {
    const read: Setting[] = [];
    parseConfig({ name: 'full', text: full }, {}, (setting) => read.push(setting));
    expect(pathsOf(settings)).toEqual(expect.arrayContaining(pathsOf(read)));
  });

  it('[G86] contains every section that users name', () => {
    const paths = pathsOf(settings);
    const sections = settings.filter(({ kind }) => kind === 'section');
    expect(pathsOf(sections).filter((path) => !paths.some((other) => other.startsWith(`${path}.`)))).toEqual([]);
  });
});
