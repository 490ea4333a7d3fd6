/** Shows long output in the user's pager. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { listProgramPaths } from '../program-paths.ts';

type PagerEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the pager's command: `COPPICE_PAGER`, else `PAGER`, else `less`. Null if the user wants no pager or it is not
 * installed, because output to a missing program would be lost.
 */
export function findPagerCommand(
  env: PagerEnvironment,
  platform: NodeJS.Platform,
  isFile: (path: string) => boolean = existsSync,
): string | null {
  const named = env['COPPICE_PAGER'] ?? env['PAGER'];
  if (env['TERM'] === 'dumb' || named?.trim() === '' || named === 'cat') return null;
  const command = named ?? (platform === 'win32' ? null : 'less');
  if (command === null) return null;
  const [program = ''] = command.trim().split(/\s+/);
  return listProgramPaths(program, env, platform).some(isFile) ? command : null;
}

/** Shows lines in the pager, and resolves when the user leaves it. */
export function showInPager(lines: Iterable<string>, command: string, env: PagerEnvironment): Promise<void> {
  return new Promise((resolve, reject) => {
    // The same options as git: F exits if everything fits, R shows colours, X keeps the text on the screen.
    const child = spawn(command, { shell: true, stdio: ['pipe', 'inherit', 'inherit'], env: { LESS: 'FRX', ...env } });
    child.once('error', reject);
    child.once('close', () => resolve());
    // The user may leave before all lines are written.
    child.stdin.on('error', () => undefined);
    const pieces = lines[Symbol.iterator]();
    const write = (): void => {
      for (let next = pieces.next(); next.done !== true; next = pieces.next())
        if (!child.stdin.write(next.value)) {
          child.stdin.once('drain', write);
          return;
        }
      child.stdin.end();
    };
    write();
  });
}
