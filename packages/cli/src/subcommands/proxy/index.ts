import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { readTopology, type TreeSummary } from '@coppice/core';
import { fieldsOrEmpty, getNumber } from '@coppice/core/decode';
import { buildOutlineShape } from '@coppice/core/tree';
import type { RunningServer } from '@coppice/server';
import type { CliContext } from '../../cli-context.ts';
import { makeUsageError } from '../../exit-codes.ts';
import { describeFailedCall, openFailedCalls, overflowFolderOf } from '../../failed-calls.ts';
import { readChatName } from '../../first-words.ts';
import { chooseTreeLines, drawTree } from '../../printing.ts';
import { toSpawnCommand } from '../../program-paths.ts';
import { shortenId } from '../../short-ids.ts';
import { toOneLine } from '../../terminal/strip-control-sequences.ts';
import { formatCountedNoun } from '../../tree-changes.ts';
import { defineSubcommand, type SubcommandOutput } from '../contract.ts';
import {
  addPublicServiceAddresses,
  findKnownProgram,
  hasServiceKey,
  type ProgramSettings,
} from './program-settings.ts';

export const proxy = defineSubcommand({
  name: 'proxy',
  summary: 'record the model calls of another program',
  worksOn: 'own-store',
  insteadOnServer: (server) =>
    `The server records calls itself: set the base URL of your program to ${server}/v1, and see coppice docs proxy. coppice agents lists what it recorded.`,
  group: 'Chat',
  begins: true,
  arguments: [{ name: 'command', summary: 'program and its arguments, after --', optional: true, many: true }],
  options: [
    {
      name: 'project',
      value: 'name',
      summary: 'project of the recordings (default: name of the program)',
    },
    { name: 'watch', summary: 'print each call until Ctrl-C' },
    { name: 'port', value: 'number', summary: 'port to listen on (default: any free one)' },
    { name: 'failed', summary: 'list calls that could not be recorded, with the reason' },
    { name: 'acknowledge', summary: 'remove the failed calls from that list' },
  ],
  examples: [
    'coppice proxy -- claude',
    'coppice proxy -- node agent.mjs',
    'coppice proxy --watch --port 4748',
    'coppice proxy --failed',
  ],
  async run(given, at) {
    const [program, ...words] = given.many('command');
    const watch = given.flag('watch');
    if (given.flag('failed') || given.flag('acknowledge')) return showFailed(given.flag('acknowledge'), at);
    if (program === undefined && !watch)
      throw makeUsageError(
        'No program given. Put one after --, as in coppice proxy -- claude, or use --watch or --failed.',
      );
    const project = (given.optional('project') ?? basename(program ?? 'proxy')).replace(/[^\w.@-]/g, '-').slice(0, 100);
    const token = randomBytes(32).toString('base64url');
    const { serve: listen } = await import('@coppice/server');
    const known = findKnownProgram(program);
    const config = await at.config();
    const store = await at.store();
    const listening = await listen({
      store,
      ...((await store.info()).readOnly ? {} : { storeUrl: await at.storeUrl() }),
      config: addPublicServiceAddresses(config, known),
      auth: { mode: 'token', token },
      port: given.count('port', 0) ?? 0,
      spillFolder: await overflowFolderOf(at),
    });
    at.onClose(() => listening.close());
    const {
      env,
      words: first,
      extension,
    } = known.settings({
      base: `${listening.url}/p/${encodeURIComponent(project)}`,
      token,
      env: at.host.env,
      hasKey: (service) => hasServiceKey(config, service),
    });
    const added = extension === undefined ? first : [...first, extension.option, await writeExtension(extension, at)];
    const { recorder } = listening.server.services;
    const stopWatching = watch ? watchCalls(listening, at) : () => undefined;
    const recorded = new Set<string>();
    const stopCounting = recorder.listen(({ treeId }) => {
      if (treeId !== null) recorded.add(treeId);
    });
    if (watch)
      for (const [name, value] of Object.entries(env)) if (value !== undefined) at.output.note(`${name}=${value}\n`);
    const exitCode =
      program === undefined
        ? await waitForSignal(at.host.signal)
        : await runChild(program, [...added, ...words], env, at);
    await recordedAll(listening, at);
    stopWatching();
    stopCounting();
    const lost = await recorder.listFailed(store.owner);
    if (lost.length > 0) at.output.note(`${notRecorded(lost.length)} Run: coppice proxy --failed\n`);
    const shown = await showRecordedTrees(project, recorded, at);
    if (recorder.state.recorded > 0) return { ...shown, exitCode };
    return { ...shown, lines: [...shown.lines, at.output.style.quiet(nothingRecorded(env))], exitCode };
  },
});

/** Lists the calls that could not be recorded, and acknowledges them if requested. */
async function showFailed(acknowledge: boolean, at: CliContext): Promise<SubcommandOutput> {
  const { owner } = await at.store();
  const failed = await openFailedCalls(at);
  const calls = await failed.list(owner);
  const acknowledged = acknowledge ? await failed.acknowledge(owner) : 0;
  const lines = calls.map((call) => at.output.foreign(describeFailedCall(call)));
  if (acknowledge) lines.push(`Acknowledged: ${acknowledged}.`);
  return {
    data: { calls: calls.map(({ owner: _, ...call }) => call), acknowledged },
    lines: lines.length > 0 ? lines : [at.output.style.quiet('Every call was recorded.')],
  };
}

/** Says that a run recorded nothing, and what the program has to do with its environment. */
function nothingRecorded(env: ProgramSettings['env']): string {
  const names = Object.keys(env).filter((name) => env[name] !== undefined);
  const use = names.length === 0 ? '' : ` The program must use ${names.join(', ')} as Coppice sets them.`;
  return `No calls were recorded.${use} See coppice docs proxy.`;
}

function notRecorded(count: number): string {
  return count === 1 ? 'One call could not be recorded.' : `${count} calls could not be recorded.`;
}

// The command waits for recording at most `waits` times `waitMs`, and less if recording fails with an error.
const waitMs = 10_000;
const waits = 6;

/**
 * Waits until every call is recorded. If the store is unavailable, the command still exits: waiting calls are moved to
 * files and recorded on the next start.
 */
async function recordedAll({ server }: RunningServer, at: CliContext): Promise<void> {
  const { recorder } = server.services;
  const done = recorder.idle().then(() => true);
  for (let attempt = 0; attempt < waits; attempt++) {
    if (await Promise.race([done, at.pause(waitMs).then(() => false)])) return;
    if (recorder.state.lastError !== null) return;
  }
}

/** The exit code of a program that was interrupted. */
const interrupted = 130;

/** Writes a file that the program reads. The file is removed when the command ends. */
async function writeExtension(
  { name, text }: NonNullable<ProgramSettings['extension']>,
  at: CliContext,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'coppice-proxy-'));
  at.onClose(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, name);
  await writeFile(file, text, { mode: 0o600 });
  return file;
}

function runChild(
  program: string,
  words: readonly string[],
  env: ProgramSettings['env'],
  at: CliContext,
): Promise<number> {
  const childEnv = { ...at.host.env, ...env };
  // If the command was interrupted during startup, the program is not started.
  if (at.host.signal.aborted) return Promise.resolve(interrupted);
  return new Promise((resolve, reject) => {
    const { file, words: given, shell } = toSpawnCommand(program, words, childEnv);
    const running = spawn(file, given, { stdio: 'inherit', cwd: at.host.cwd, env: childEnv, shell });
    running.on('error', (error) => {
      const isMissing = 'code' in error && error.code === 'ENOENT';
      const why = isMissing ? 'there is no such program. Check its name and PATH' : error.message;
      reject(makeUsageError(`${program} cannot be started: ${why}.`));
    });
    running.on('exit', (code, signal) => resolve(code ?? (signal === null ? 1 : interrupted)));
    at.host.signal.addEventListener('abort', () => running.kill('SIGINT'), { once: true });
  });
}

function waitForSignal(signal: AbortSignal): Promise<number> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(0);
    else signal.addEventListener('abort', () => resolve(0), { once: true });
  });
}

/** Prints calls as they are recorded: model, tokens, time, and tree. */
function watchCalls(listening: RunningServer, at: CliContext): () => void {
  return listening.server.services.recorder.listen((call) => {
    const where =
      call.treeId === null
        ? at.output.style.bad('not recorded')
        : `${shortenId(call.treeId)} ${call.nodeId === null ? '' : shortenId(call.nodeId)} +${call.nodes}`;
    const words = [toOneLine(call.model, 40), call.status, tokensOfCall(call.usage), `${call.totalMs} ms`, where];
    at.output.note(`${words.join('  ')}\n`);
  });
}

/** Returns the input and output tokens that the service reported. */
function tokensOfCall(usage: unknown): string {
  const fields = fieldsOrEmpty(usage);
  const count = (chat: string, other: string) => getNumber(fields, chat) ?? getNumber(fields, other) ?? '?';
  return `${count('prompt_tokens', 'input_tokens')} > ${count('completion_tokens', 'output_tokens')} tokens`;
}

// An agent that has worked for hours leaves thousands of messages. `coppice tree` shows all of them.
const linesPerTree = 100;

// A run of many agents may record hundreds of trees.
const mostTrees = 20;

/** Shows the trees of a run, last changed first. The project may have many others, of earlier runs. */
async function showRecordedTrees(
  project: string,
  recorded: ReadonlySet<string>,
  at: CliContext,
): Promise<SubcommandOutput> {
  const store = await at.store();
  const { items } = await store.trees({ project, limit: 100 });
  const lines: string[] = [];
  const data: { readonly tree: TreeSummary; readonly nodes: number }[] = [];
  for (const row of items.filter(({ id }) => recorded.has(id)).slice(0, mostTrees)) {
    const nodes = await store.read(row.id, () => readTopology(row.id));
    data.push({ tree: row, nodes: nodes.length });
    lines.push(
      `${at.output.style.strong(toOneLine(await readChatName(store, row), 60))}  ${at.output.style.quiet(shortenId(row.id))}`,
    );
    const fold = nodes.length > linesPerTree;
    const drawing = chooseTreeLines({ shape: buildOutlineShape(nodes), current: null, fold, limit: linesPerTree });
    lines.push(...drawTree(drawing.lines, at.output));
    if (drawing.left > 0) lines.push(at.output.style.quiet(`… ${formatCountedNoun(drawing.left, 'line')} more`));
  }
  const left = recorded.size - data.length;
  if (left > 0)
    lines.push(at.output.style.quiet(`… ${formatCountedNoun(left, 'tree')} more. List them: coppice agents`));
  return { data: { project, trees: data }, lines };
}
