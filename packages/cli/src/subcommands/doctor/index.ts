import { access, constants, stat, statfs } from 'node:fs/promises';
import { homedir, hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import {
  configPath,
  type KeySource,
  keysFilePath,
  localTokenPath,
  recordSecretPath,
  redactKeys,
  sharedKeysFilePath,
} from '@coppice/engine';
import type { CliContext } from '../../cli-context.ts';
import { toCliError } from '../../exit-codes.ts';
import { describeFailedCall, openFailedCalls } from '../../failed-calls.ts';
import { findHooks, hooksFolderOf } from '../../hooks.ts';
import { wrapLines } from '../../terminal/wrap.ts';
import { formatCountedNoun } from '../../tree-changes.ts';
import { cliVersion } from '../../version.ts';
import { defineSubcommand } from '../contract.ts';

/** The result of one check. */
interface DoctorFinding {
  readonly what: string;
  readonly state: 'ok' | 'note' | 'bad';
  readonly said: string;
}

export const doctor = defineSubcommand({
  name: 'doctor',
  summary: 'check your setup; report problems and how to fix them',
  worksOn: 'this-computer',
  insteadOnServer: (server) =>
    `It checks this computer. Run it on the computer of the server; ${server}/readyz says whether the server is ready.`,
  group: 'Manage',
  options: [{ name: 'report', summary: 'print a report for an issue, without keys, names or paths of your home' }],
  examples: ['coppice doctor', 'coppice doctor --json', 'coppice doctor --report'],
  async run(given, at) {
    const findings = [program(at)];
    for (const [what, check] of checks) findings.push(await runCheck(what, () => check(at), findings));
    const exitCode = findings.some((finding) => finding.state === 'bad') ? 1 : 0;
    if (given.flag('report'))
      return { data: { version: cliVersion, report: report(findings, at) }, lines: report(findings, at), exitCode };
    const { style, columns, foreign } = at.output;
    // Indented below the mark and wrapped between words.
    const set = (text: string) => (at.host.stdout.isTTY === true ? wrapLines(text, columns - 2).join('\n  ') : text);
    const marks = { ok: style.active('✓'), note: style.warn('!'), bad: style.bad('✗') };
    return {
      data: { version: cliVersion, findings },
      exitCode,
      lines: findings.map(
        ({ what, state, said }) => `${marks[state]} ${set(`${style.strong(what)}: ${foreign(said)}`)}`,
      ),
    };
  },
});

type Check = (at: CliContext) => Promise<Omit<DoctorFinding, 'what'>>;

/** The checks in the order of the output. A check comes after those that it depends on, such as the configuration. */
const checks: readonly (readonly [what: string, check: Check])[] = [
  ['configuration', configuration],
  ['disk', disk],
  ['permissions', permissions],
  ['store', checkStore],
  ['clock', clock],
  ['keys', keys],
  ['models', models],
  ['hooks', hooks],
  ['recordings', recordings],
];

/** Runs one check. If it fails for the reason of an earlier check, the finding refers to that one. */
async function runCheck(
  what: string,
  look: () => Promise<Omit<DoctorFinding, 'what'>>,
  earlier: readonly DoctorFinding[],
): Promise<DoctorFinding> {
  try {
    return { what, ...(await look()) };
  } catch (thrown) {
    const { message } = toCliError(thrown);
    const cause = earlier.find(({ state, said }) => state === 'bad' && said === message);
    if (cause === undefined) return { what, state: 'bad', said: message };
    return { what, state: 'note', said: `not checked, because of the problem above (${cause.what})` };
  }
}

function program(at: CliContext): DoctorFinding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const old = major < 20 || (major === 20 && minor < 19);
  const runtime = process.versions['bun'] === undefined ? '' : `Bun ${process.versions['bun']}, `;
  const text = `coppice ${cliVersion} on ${runtime}Node ${process.versions.node}, ${process.platform} ${process.arch}, home ${at.host.home}`;
  return { what: 'program', state: old ? 'bad' : 'ok', said: old ? `${text}; Node 20.19 or newer is needed` : text };
}

async function configuration(at: CliContext): Promise<Omit<DoctorFinding, 'what'>> {
  const { path } = configPath({ env: at.host.env, home: at.host.home });
  const config = await at.config();
  const where = config.file === null ? `no file at ${path}; all settings have defaults` : config.file;
  const warnings = config.warnings.map((warning) => `${warning.where}: ${warning.message}`);
  return { state: warnings.length > 0 ? 'note' : 'ok', said: [where, ...warnings].join('; ') };
}

const megabyte = 1024 * 1024;
/** Below this free space the check warns, because writes will soon fail. */
const scarceBytes = 100 * megabyte;

/** Returns the data folder, or the home directory if the data folder does not exist yet. */
async function dataFolder(at: CliContext): Promise<string> {
  const folder = join(at.host.home, '.coppice');
  return (await modeOf(folder)) === null ? at.host.home : folder;
}

/** Returns the permission bits of a file or folder; null if it does not exist. */
async function modeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).mode & 0o777;
  } catch {
    return null;
  }
}

async function disk(at: CliContext): Promise<Omit<DoctorFinding, 'what'>> {
  const folder = await dataFolder(at);
  const { bavail, bsize } = await statfs(folder);
  const text = `${Math.floor((bavail * bsize) / megabyte).toLocaleString('en-US')} MB free for ${folder}`;
  if (bavail * bsize >= scarceBytes) return { state: 'ok', said: text };
  return { state: 'bad', said: `${text}; delete something, or move the store to another disk` };
}

async function permissions(at: CliContext): Promise<Omit<DoctorFinding, 'what'>> {
  const folder = await dataFolder(at);
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    return { state: 'bad', said: `${folder} cannot be written by this user; change its owner or its permissions` };
  }
  const source = { env: at.host.env, home: at.host.home };
  const secrets = [keysFilePath(source), sharedKeysFilePath(source), localTokenPath(source), recordSecretPath(source)];
  const modes = await Promise.all(secrets.map(async (path) => ({ path, mode: await modeOf(path) })));
  // Windows has no permission bits.
  const open = modes.filter(({ mode }) => process.platform !== 'win32' && mode !== null && (mode & 0o077) !== 0);
  if (open.length === 0)
    return { state: 'ok', said: `${folder} can be written, and other users cannot read your keys` };
  const paths = open.map(({ path }) => path).join(' ');
  return { state: 'bad', said: `others can read your keys; run chmod 600 ${paths}` };
}

/** Lists which providers have a key, and the source of each key. The keys themselves are never printed. */
async function keys(at: CliContext): Promise<Omit<DoctorFinding, 'what'>> {
  const { providers } = (await at.live()).current;
  const held = [...providers.values()].flatMap(({ name, keySource }) =>
    keySource === undefined ? [] : [`${name} (${keyOrigin(keySource)})`],
  );
  return { state: 'ok', said: held.length === 0 ? 'none' : held.join(', ') };
}

function keyOrigin(source: KeySource): string {
  if (source.from === 'environment') return source.variable;
  return source.from === 'file' ? 'the configuration file' : 'entered';
}

async function checkStore(at: CliContext): Promise<Omit<DoctorFinding, 'what'>> {
  const opened = await at.keptStore();
  const info = await opened.info();
  const { items } = await opened.trees({ limit: 1 });
  const notes = [...info.notes, ...(info.readOnly ? ['it can only be read'] : [])];
  const text = [
    `${info.kind} at ${info.place}, version ${info.schemaVersion}, ${items.length === 0 ? 'empty' : 'in use'}`,
    ...notes.map((note) => note.replace(/\.$/, '')),
  ].join('; ');
  return { state: notes.length > 0 ? 'note' : 'ok', said: text };
}

/** No tree can have changed before this version of Coppice existed. */
const firstPossible = Date.UTC(2026, 10, 1);
/** The clocks of computers that share a store may differ by seconds. */
const clockToleranceMs = 120_000;

async function clock(at: CliContext): Promise<Omit<DoctorFinding, 'what'>> {
  const now = Date.now();
  const text = new Date(now).toISOString();
  if (now < firstPossible)
    return { state: 'bad', said: `${text} is wrong; set the clock, or new chats are sorted below old ones` };
  const [newest] = (await (await at.keptStore()).trees({ limit: 1 })).items;
  const ahead = (newest?.updatedAt ?? 0) - now;
  if (ahead <= clockToleranceMs) return { state: 'ok', said: text };
  const minutes = Math.round(ahead / 60_000).toLocaleString('en-US');
  return {
    state: 'bad',
    said: `${text}, but a chat was changed ${minutes} minutes later; synchronise the clock of this computer (NTP)`,
  };
}

/** Returns the findings as Markdown without private data, for public bug reports. */
function report(findings: readonly DoctorFinding[], at: CliContext): readonly string[] {
  const names: readonly (readonly [string, string])[] = [
    [at.host.home, '~'],
    [homedir(), '~'],
    [userInfo().username, '<user>'],
    [hostname(), '<host>'],
  ];
  const hide = (text: string) =>
    names
      .filter(([name]) => name.length > 2)
      .reduce((hidden, [name, mark]) => hidden.replaceAll(name, mark), redactKeys(text))
      // The address of a database contains its host and its user.
      .replaceAll(/postgres(?:ql)?:\/\/\S+|(?<=postgres at )\S+(?=,)/g, '<address>');
  return ['```text', ...findings.map(({ what, state, said }) => `${state.padEnd(4)} ${what}: ${hide(said)}`), '```'];
}

/** Reports calls that the proxy could not record and that are not acknowledged. */
async function recordings(at: CliContext): Promise<Omit<DoctorFinding, 'what'>> {
  const calls = await (await openFailedCalls(at)).list((await at.keptStore()).owner);
  const [newest] = calls;
  if (newest === undefined) return { state: 'ok', said: 'every call of other programs was recorded' };
  const text = `${calls.length} could not be recorded, last: ${describeFailedCall(newest)}`;
  return { state: 'bad', said: `${text}. Run coppice proxy --failed, then coppice proxy --acknowledge` };
}

async function hooks(at: CliContext): Promise<Omit<DoctorFinding, 'what'>> {
  const found = await findHooks(at.host.home);
  const left = found.filter(({ trouble }) => trouble !== null);
  const names = found.filter(({ trouble }) => trouble === null).map(({ name }) => name);
  const loaded = names.length === 0 ? `none in ${hooksFolderOf(at.host.home)}` : `a chat loads ${names.join(', ')}`;
  const text = [loaded, ...left.map(({ name, trouble }) => `${name} is not loaded: ${trouble}`)].join('; ');
  return { state: left.length > 0 ? 'note' : 'ok', said: text };
}

// A slower server counts as a server without models.
const askModelsMs = 5_000;

async function models(at: CliContext): Promise<Omit<DoctorFinding, 'what'>> {
  const providers = await at.providers();
  // Requests the models of the configured servers, because they know their own list best.
  await providers.refresh(AbortSignal.any([at.host.signal, AbortSignal.timeout(askModelsMs)]));
  const model = await providers.defaultModel(at.host.signal);
  const counts = new Map<string, number>();
  for (const { ready, provider } of providers.list()) if (ready) counts.set(provider, (counts.get(provider) ?? 0) + 1);
  const ready = [...counts].map(([provider, count]) => `${provider} (${formatCountedNoun(count, 'model')})`);
  const offline = model.startsWith('offline/');
  const text = `${model} answers unless you name another; ready: ${ready.join(', ')}`;
  return {
    state: offline ? 'note' : 'ok',
    said: offline ? `${text}. Set a key such as ANTHROPIC_API_KEY, or start Ollama, to talk to a language model` : text,
  };
}
