import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError } from '@coppice/core';
import {
  configPath,
  configValueAt,
  editConfig,
  findConfigProblems,
  parseConfig,
  parseConfigValue,
} from '@coppice/engine/config';
import type { CliContext } from '../../cli-context.ts';
import { usageError } from '../../exit-codes.ts';
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
    const { path } = configPath({ env: at.host.env, home: at.host.home });
    switch (given.text('action')) {
      case 'path':
        return { data: { path, exists: existsSync(path) }, lines: [path] };
      case 'check':
        return checkConfig(path, at);
      case 'get':
        return getKey(path, keyOf(given));
      case 'set':
        return changeKey(path, keyOf(given), given.text('value'), at);
      case 'unset':
        return changeKey(path, keyOf(given), null, at);
      default:
        throw usageError(`Unknown action ${given.text('action')}. Use one of ${actions.join(', ')}.`);
    }
  },
});

function keyOf(given: SubcommandInput): readonly string[] {
  return given.text('key').split('.');
}

async function readText(path: string): Promise<string> {
  return existsSync(path) ? readFile(path, 'utf8') : '';
}

async function checkConfig(path: string, at: CliContext): Promise<SubcommandOutput> {
  const { style } = at.output;
  if (!existsSync(path))
    return {
      data: { path, exists: false, problems: [] },
      lines: [style.quiet(`No file at ${path}. Every setting has its default.`)],
    };
  const problems = findConfigProblems({ name: path, text: await readText(path) }, at.host.env);
  const marks = { error: style.bad('✗'), warning: style.warn('!') };
  const lines = problems.map(({ where, message, severity }) => `${marks[severity]} ${where}: ${message}`);
  lines.push(lines.length === 0 ? `${path} is in order.` : `${formatCountedNoun(lines.length, 'finding')} in ${path}.`);
  // After an error no command works; after a warning one setting has no effect.
  const isBroken = problems.some(({ severity }) => severity === 'error');
  return { data: { path, exists: true, problems }, lines, exitCode: isBroken ? 2 : problems.length > 0 ? 1 : 0 };
}

async function getKey(path: string, key: readonly string[]): Promise<SubcommandOutput> {
  const value = configValueAt(await readText(path), key);
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

/** API keys are never printed: a terminal may be shared or recorded. */
function hideSecrets(value: unknown, path: readonly string[]): unknown {
  const name = path.at(-1) ?? '';
  if (
    typeof value === 'string' &&
    (/key|token|secret|password/i.test(name) || path.includes('headers') || path.includes('env'))
  )
    return value.length < 12 ? '[hidden]' : `[hidden, ends in ${value.slice(-4)}]`;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
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
  const changed = editConfig(text, key, value);
  // Validated before writing: a server that reloads the file would fail on an error.
  const { warnings } = parseConfig({ name: path, text: changed }, at.host.env);
  const isWritten = JSON.stringify(configValueAt(changed, key)) === JSON.stringify(value ?? undefined);
  const known = parseConfig({ name: path, text }, at.host.env).warnings.map(({ message }) => message);
  const unknown = warnings.find(({ message }) => !known.includes(message));
  if (!isWritten || unknown !== undefined)
    throw new AppError({
      code: 'config/invalid',
      kind: 'invalid',
      message:
        unknown === undefined ? `${key.join('.')} cannot be changed here. Edit ${path} by hand.` : unknown.message,
    });
  if (changed === text) return { data: { path, key: key.join('.'), changed: false }, lines: ['Nothing changed.'] };
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const next = `${path}.${process.pid}.part`;
  await writeFile(next, changed, { mode: 0o600 });
  await rename(next, path);
  const said = typed === null ? `Removed ${key.join('.')}.` : `Set ${key.join('.')}.`;
  return { data: { path, key: key.join('.'), changed: true }, lines: [said] };
}
