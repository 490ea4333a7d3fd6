/** The processor time of starting the command, as a ratio to a bare Node. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compiledCommand } from '@coppice/cli/testing';
import { type Measure, median } from './measure.ts';

const rounds = 9;

// Runs in each measured process; the same for the bare one.
const noteTime = `import { writeFileSync } from 'node:fs';
process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  writeFileSync(process.env.BENCH_CPU, String(user + system));
});
`;

/** Measures the commands in turns with a Node that does nothing. */
export async function cli(): Promise<readonly Measure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-bench-'));
  try {
    const command = await compiledCommand();
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
    const bare = median(times.get('bare') ?? []);
    return [
      { work: 'node -e 0', by: 'bare Node', value: bare, unit: 'µs' },
      ...lines.map(([work, aim]): Measure => {
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
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
