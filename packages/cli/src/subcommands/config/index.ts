import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError, isAppError } from '@coppice/core';
import { isFieldMap } from '@coppice/core/decode';
import {
  type ConfigProblem,
  configPath,
  findConfigProblems,
  findConfigValue,
  findLineOfKey,
  parseConfig,
  parseConfigValue,
  setConfigValue,
} from '@coppice/engine/config';
import type { CliContext } from '../../cli-context.ts';
import { makeUsageError } from '../../exit-codes.ts';
import { toStoreUrl } from '../../store-address.ts';
import { formatCountedNoun } from '../../tree-changes.ts';
import { defineSubcommand, type SubcommandInput, type SubcommandOutput } from '../contract.ts';

const actions = ['get', 'set', 'unset', 'path', 'check'] as const;

export const config = defineSubcommand({
  name: 'config',
  summary: 'read, change and check the configuration file',
  worksOn: 'this-computer',
  insteadOnServer: (server) =>
    `It concerns the configuration of this computer. Run it on the computer of the server, or open Settings on ${server}.`,
  group: 'Manage',
  arguments: [
    { name: 'action', summary: `${actions.join(', ')}`, completes: actions },
    { name: 'key', summary: 'key with its table, such as model or tools.approval', optional: true },
    { name: 'value', summary: 'value to set; a list is written as ["a", "b"]', optional: true },
  ],
  examples: [
    'coppice config path',
    'coppice config set model anthropic/claude-sonnet-4-5',
    'coppice config set tools.approval always',
    'coppice config get tools.approval',
    'coppice config unset model',
    'coppice config check',
  ],
  async run(given, at) {
    const { path, explicit } = configPath({ env: at.host.env, home: at.host.home });
    switch (given.text('action')) {
      case 'path':
        return { data: { path, exists: existsSync(path) }, lines: [path] };
      case 'check':
        return checkConfig(path, explicit, at);
      case 'get':
        return getKey(path, keyOf(given));
      case 'set':
        return changeKey(path, keyOf(given), given.text('value'), at);
      case 'unset':
        return changeKey(path, keyOf(given), null, at);
      default:
        throw makeUsageError(`Unknown action ${given.text('action')}. Use one of ${actions.join(', ')}.`);
    }
  },
});

function keyOf(given: SubcommandInput): readonly string[] {
  return given.text('key').split('.');
}

async function readText(path: string): Promise<string> {
  return existsSync(path) ? readFile(path, 'utf8') : '';
}

async function checkConfig(path: string, explicit: boolean, at: CliContext): Promise<SubcommandOutput> {
  const { style } = at.output;
  const exists = existsSync(path);
  if (!exists && !explicit)
    return {
      data: { path, exists, problems: [] },
      lines: [style.quiet(`No file at ${path}. Every setting has its default.`)],
    };
  const problems: readonly ConfigProblem[] = exists
    ? await findAllProblems({ name: path, text: await readText(path) }, at)
    : [{ where: path, message: 'COPPICE_CONFIG names this file, but it does not exist.', severity: 'error' }];
  const marks = { error: style.bad('✗'), warning: style.warn('!') };
  const lines = problems.map(({ where, message, severity }) => `${marks[severity]} ${where}: ${message}`);
  lines.push(lines.length === 0 ? `${path} is in order.` : `${formatCountedNoun(lines.length, 'finding')} in ${path}.`);
  // After an error commands fail; after a warning one setting has no effect.
  const isBroken = problems.some(({ severity }) => severity === 'error');
  return { data: { path, exists, problems }, lines, exitCode: isBroken ? 2 : problems.length > 0 ? 1 : 0 };
}

/** Returns the problems of a file in the order of its lines, errors first. */
async function findAllProblems(file: { readonly name: string; readonly text: string }, at: CliContext) {
  const problems = findConfigProblems(file, at.host.env);
  const isBroken = problems.some(({ severity }) => severity === 'error');
  const all = isBroken
    ? problems
    : [...(await findUnusableNames(file, at)).map(({ key: _, ...each }) => each), ...problems];
  const rank = ({ severity }: ConfigProblem) => (severity === 'error' ? 0 : 1);
  const line = ({ where }: ConfigProblem) => Number(/:(\d+)(?::\d+)?$/.exec(where)?.[1] ?? 0);
  return [...all].sort((a, b) => rank(a) - rank(b) || line(a) - line(b));
}

/** The keys that name a model. */
const modelKeys = [['model'], ['cheap_model'], ['summaries', 'model'], ['generate', 'fallback_model']];

/** Returns an error for each store and model of a valid file that no command could use. Opens and calls nothing. */
async function findUnusableNames(
  file: { readonly name: string; readonly text: string },
  at: CliContext,
): Promise<readonly (ConfigProblem & { readonly key: string })[]> {
  const found: (ConfigProblem & { readonly key: string })[] = [];
  const tryName = (key: readonly string[], use: (name: string) => void) => {
    const name = findConfigValue(file.text, key);
    if (typeof name !== 'string') return;
    try {
      use(name);
    } catch (error) {
      if (!isAppError(error)) throw error;
      const line = findLineOfKey(file.text, key);
      const where = line === null ? file.name : `${file.name}:${line}`;
      const field = key.join('.');
      found.push({ key: field, where, message: `${field}: ${error.message}`, severity: 'error' });
    }
  };
  const { storeSchemes } = await import('@coppice/stores');
  tryName(['store'], (address) => {
    const [scheme = ''] = toStoreUrl(address, at.host).toLowerCase().split(':', 1);
    if (![...storeSchemes, 'postgresql'].includes(scheme))
      throw makeUsageError(
        `There is no store of the kind "${scheme}:". Use one of ${storeSchemes.map((each) => `${each}:`).join(', ')}.`,
      );
  });
  const providers = await at.providers();
  for (const key of modelKeys) tryName(key, (name) => providers.model(name));
  return found;
}

async function getKey(path: string, key: readonly string[]): Promise<SubcommandOutput> {
  const value = findConfigValue(await readText(path), key);
  if (value === undefined)
    throw new AppError({
      code: 'config/not-set',
      kind: 'not-found',
      message: `${key.join('.')} is not set in ${path}.`,
    });
  const shown = hideSecrets(value, key);
  return {
    data: { key: key.join('.'), value: shown },
    lines: [typeof shown === 'string' ? shown : JSON.stringify(shown)],
  };
}

/** Hides API keys, except for the last four characters of a long one: a terminal may be shared or recorded. */
function hideSecrets(value: unknown, path: readonly string[]): unknown {
  const name = path.at(-1) ?? '';
  if (
    typeof value === 'string' &&
    (/key|token|secret|password/i.test(name) || path.includes('headers') || path.includes('env'))
  )
    return value.length < 12 ? '[hidden]' : `[hidden, ends in ${value.slice(-4)}]`;
  if (!isFieldMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([field, each]) => [field, hideSecrets(each, [...path, field])]));
}

async function changeKey(
  path: string,
  key: readonly string[],
  typed: string | null,
  at: CliContext,
): Promise<SubcommandOutput> {
  const text = await readText(path);
  const value = typed === null ? null : parseConfigValue(typed);
  const changed = setConfigValue(text, key, value);
  // Validated before writing: a server that reloads the file would fail on an error.
  const { warnings } = parseConfig({ name: path, text: changed }, at.host.env);
  const isWritten = JSON.stringify(findConfigValue(changed, key)) === JSON.stringify(value ?? undefined);
  const known = parseConfig({ name: path, text }, at.host.env).warnings.map(({ message }) => message);
  const unknown = warnings.find(({ message }) => !known.includes(message));
  if (!isWritten || unknown !== undefined)
    throw new AppError({
      code: 'config/invalid',
      kind: 'invalid',
      message:
        unknown === undefined
          ? `${key.join('.')} cannot be changed here. Edit ${path} by hand.`
          : `${unknown.message} Nothing was changed. coppice docs settings lists all settings.`,
    });
  if (changed === text) return { data: { path, key: key.join('.'), changed: false }, lines: ['Nothing changed.'] };
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const next = `${path}.${process.pid}.part`;
  await writeFile(next, changed, { mode: 0o600 });
  await rename(next, path);
  const notice = typed === null ? `Removed ${key.join('.')}.` : `Set ${key.join('.')}.`;
  // Not refused, because the provider of a model may be set next.
  const name = key.join('.');
  const unusable = (await findUnusableNames({ name: path, text: changed }, at)).filter((each) => each.key === name);
  return {
    data: { path, key: name, changed: true },
    lines: [notice, ...unusable.map(({ message }) => at.output.style.warn(`No command can use it yet: ${message}`))],
  };
}
