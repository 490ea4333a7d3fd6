/** Runs a command of the user's shell and collects its output. */
import { spawn } from 'node:child_process';
import { stripControlSequences } from '../terminal/strip-control-sequences.ts';

/** The output of a command, and how it ended. */
export interface ShellResult {
  readonly output: string;
  /** The exit code; null if the command was stopped. */
  readonly code: number | null;
}

// A longer output would fill the context window. The middle is left out, because errors are at the end.
const longest = 40_000;

/** Returns the Windows command that ends a process and its child processes. Windows has no process groups. */
export function buildWindowsKillCommand(pid: number): readonly [string, ...string[]] {
  return ['taskkill', '/pid', String(pid), '/T', '/F'];
}

// How long a stopped command may take to end.
const graceMs = 2_000;

/** Runs a command in a folder until it ends, or until the signal stops it and its child processes. */
export function runShellCommand(
  command: string,
  folder: string,
  signal: AbortSignal,
  killAfterMs = graceMs,
): Promise<ShellResult> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const isGroup = process.platform !== 'win32';
    const child = spawn(command, { shell: true, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], detached: isGroup });
    let [head, tail] = ['', ''];
    let isCut = false;
    const collect = (text: string) => {
      const space = longest / 2 - head.length;
      head += text.slice(0, space);
      tail += text.slice(Math.max(0, space));
      // Truncated to half of the limit, so that the tail is not copied for every chunk.
      if (tail.length <= longest) return;
      tail = tail.slice(-longest / 2);
      isCut = true;
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', collect);
    let kill: NodeJS.Timeout | undefined;
    const stop = () => {
      if (child.pid === undefined) return;
      if (!isGroup) {
        const [program, ...words] = buildWindowsKillCommand(child.pid);
        spawn(program, words, { stdio: 'ignore', windowsHide: true }).on('error', () => child.kill());
        return;
      }
      killGroup(child.pid, 'SIGTERM');
      // A command can ignore the first signal.
      kill = setTimeout(killGroup, killAfterMs, child.pid, 'SIGKILL');
    };
    signal.addEventListener('abort', stop, { once: true });
    child.on('error', (error) => {
      signal.removeEventListener('abort', stop);
      reject(error);
    });
    child.on('close', (code) => {
      clearTimeout(kill);
      signal.removeEventListener('abort', stop);
      const end = tail.slice(-longest / 2);
      const output = end.length < tail.length || isCut ? `${head}\n… left out …\n${end}` : head + end;
      resolve({ output: stripControlSequences(output), code });
    });
  });
}

/** Sends a signal to a process and its child processes. */
function killGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The processes have already ended.
  }
}

/** Returns the command and its output as the text of a message. */
export function formatShellMessage(command: string, { output, code }: ShellResult): string {
  const text = output.trimEnd();
  // The fence must be longer than every run of backticks in the output.
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  const end = code === 0 ? '' : `\n\n${code === null ? 'It was stopped.' : `It ended with exit code ${code}.`}`;
  return `Output of \`${command}\`:\n\n${fence}\n${text === '' ? '(no output)' : text}\n${fence}${end}`;
}
