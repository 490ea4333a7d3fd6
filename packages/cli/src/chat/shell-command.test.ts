import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildWindowsKillCommand, formatShellMessage, runShellCommand } from './shell-command.ts';

const node = JSON.stringify(process.execPath);
const never = new AbortController().signal;

describe('a shell command', () => {
  it('[O102] puts its output and exit code in a message, without control sequences', async () => {
    const result = await runShellCommand(
      `${node} -e "console.log('a\\u001b[2Jb'); process.exitCode = 3"`,
      tmpdir(),
      never,
    );
    expect(result).toEqual({ output: 'ab\n', code: 3 });
    expect(formatShellMessage('x', result)).toBe('Output of `x`:\n\n```\nab\n```\n\nIt ended with exit code 3.');
    expect(formatShellMessage('x', { output: '', code: 0 })).toContain('(no output)');
    expect(formatShellMessage('x', { output: '```\n', code: 0 })).toBe('Output of `x`:\n\n````\n```\n````');
  });

  it('[O102] keeps the beginning and end of a long output', async () => {
    const script = "process.stdout.write('first' + 'x'.repeat(500000) + 'last')";
    const { output } = await runShellCommand(`${node} -e "${script}"`, tmpdir(), never);
    expect(output).toMatch(/^first[\s\S]*left out[\s\S]*last$/);
    expect(output.length).toBeLessThan(41_000);
  });

  it('[O102] is stopped with the processes that it started', async () => {
    const controller = new AbortController();
    const running = runShellCommand(
      `${node} -e "setInterval(() => {}, 1000)" && echo done`,
      tmpdir(),
      controller.signal,
    );
    controller.abort();
    const { output, code } = await running;
    expect([output, code === 0]).toEqual(['', false]);
  });

  it.skipIf(process.platform === 'win32')('[O102] is ended also if it ignores the first signal', async () => {
    const controller = new AbortController();
    const folder = mkdtempSync(join(tmpdir(), 'coppice-shell-'));
    const script = `trap "" TERM; echo started; touch ready; while :; do sleep 1; done`;
    const running = runShellCommand(script, folder, controller.signal, 10);
    try {
      await expect.poll(() => existsSync(join(folder, 'ready'))).toBe(true);
      controller.abort();
      expect(await running).toEqual({ output: 'started\n', code: null });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('[O102] is ended on Windows with the processes that it started', () => {
    expect(buildWindowsKillCommand(42)).toEqual(['taskkill', '/pid', '42', '/T', '/F']);
  });
});
