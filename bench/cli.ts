/**
 * Measures the processor time of starting the command, as a ratio to a bare Node process, and of the tree selector of a
 * large chat.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compileCliOnce } from '@coppice/cli/testing';
import { startCliInTerminal, terminalKeys } from '@coppice/cli/testing/terminal';
import { messageKit } from '@coppice/content';
import { run, textMessage, treeId } from '@coppice/core';
import { openStore } from '@coppice/stores';
import { type Measurement, median } from './measure.ts';

const rounds = 9;

// Added to each measured process, including the bare one: writes its processor time to a file when it exits.
const noteTime = `import { writeFileSync } from 'node:fs';
process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  writeFileSync(process.env.BENCH_CPU, String(user + system));
});
`;

/** The number of messages of the large chat, and the number of its forks. */
const [messages, forks] = [100_000, 100];

/** Stores a chat of one long branch and many short ones. */
async function storeLargeChat(file: string): Promise<void> {
  const store = await openStore(`sqlite:${file}`);
  const act = { actor: 'local', kit: messageKit, now: Date.now, newId: () => crypto.randomUUID() };
  const id = treeId(crypto.randomUUID());
  const say = (text: string) => ({ message: textMessage('user', text) });
  const list = Array.from({ length: messages - 2 * forks }, (_, at) => say(`Message ${at} of a long chat`));
  await run(store, { type: 'create', treeId: id }, act);
  const { added } = (await run(store, { type: 'append', treeId: id, messages: list }, act)).result;
  for (let at = 0; at < forks; at++) {
    const parentId = added[Math.floor((at * added.length) / forks)];
    const aside = [say(`Aside ${at}`), say(`End of aside ${at}`)];
    if (parentId !== undefined)
      await run(store, { type: 'append', treeId: id, parentId, messages: aside, select: false }, act);
  }
  await store.close();
}

/**
 * Opens and leaves the large chat in a terminal, once with the tree selector and once without. The difference is the
 * cost of the selector's first screen.
 */
async function measureSelector(home: string, preload: string, spent: string): Promise<Measurement> {
  const store = join(home, 'large.db');
  await storeLargeChat(store);
  const env = {
    NODE_OPTIONS: `--import ${pathToFileURL(preload).href}`,
    BENCH_CPU: spent,
    COPPICE_MODEL: 'offline/guide',
  };
  const visit = async (opens: boolean) => {
    const terminal = startCliInTerminal(
      ['--store', store, 'chat', '-t', 'last'],
      home,
      { columns: 100, rows: 30 },
      env,
    );
    await terminal.shows(`Message ${messages - 2 * forks - 1}`);
    if (opens) {
      terminal.type(terminalKeys.control('t'));
      await terminal.shows(/shown · [\s\S]*End of aside/);
      terminal.type(terminalKeys.escape);
      await terminal.hides('shown ·');
    }
    terminal.type(terminalKeys.control('d'));
    if ((await terminal.ended()) !== 0) throw new Error(terminal.screen());
    return Number(readFileSync(spent, 'utf8'));
  };
  const times: number[] = [];
  for (let round = 0; round < 5; round++) times.push((await visit(true)) - (await visit(false)));
  const value = median(times);
  return {
    work: 'the first screen of the tree selector, 100,000 messages',
    by: 'coppice',
    value,
    unit: 'µs',
    budget: '≤ 1 s',
    kept: value <= 1_000_000,
  };
}

/** Measures the commands, alternating with a Node process that does nothing. */
export async function benchCli(): Promise<readonly Measurement[]> {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-bench-'));
  try {
    const command = await compileCliOnce();
    const [preload, spent] = [join(folder, 'note-time.mjs'), join(folder, 'spent')];
    writeFileSync(preload, noteTime);
    const env = { HOME: folder, PATH: process.env['PATH'], COPPICE_MODEL: 'offline/guide', BENCH_CPU: spent };
    const microseconds = (...words: readonly string[]): number => {
      const ran = spawnSync(process.execPath, ['--import', pathToFileURL(preload).href, ...words], { env, input: '' });
      if (ran.status !== 0) throw new Error(`${words.join(' ')} ended with ${ran.status}: ${ran.stderr}`);
      return Number(readFileSync(spent, 'utf8'));
    };
    const lines: readonly (readonly [work: string, aim: number, ...words: string[]])[] = [
      ['coppice --version', 1.5, command, '--version'],
      ['coppice ls, 100 chats', 12, command, 'ls'],
      ['coppice chat -p, a reply of the guide', 19, command, 'chat', '-p', 'What is a branch?'],
    ];
    for (let at = 0; at < 100; at++) microseconds(command, 'new', `Chat ${at}`);
    const times = new Map<string, number[]>();
    const note = (name: string, value: number) => times.set(name, [...(times.get(name) ?? []), value]);
    for (let round = 0; round < rounds; round++) {
      note('bare', microseconds('-e', '0'));
      for (const [work, , ...words] of lines) note(work, microseconds(...words));
    }
    const selector = await measureSelector(folder, preload, spent);
    const bare = median(times.get('bare') ?? []);
    return [
      { work: 'node -e 0', by: 'bare Node', value: bare, unit: 'µs' },
      ...lines.map(([work, aim]): Measurement => {
        const value = median(times.get(work) ?? []);
        const ratio = value / bare;
        return {
          work,
          by: 'coppice',
          value,
          unit: 'µs',
          ratio,
          budget: `≤ ${aim} times a bare Node`,
          kept: ratio <= aim,
        };
      }),
      selector,
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
