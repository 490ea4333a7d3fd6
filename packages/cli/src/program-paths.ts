/** Finds programs by name, and builds the command that starts one. Windows needs extensions and a shell for scripts. */
import { existsSync } from 'node:fs';
import { posix, win32 } from 'node:path';
import { makeUsageError } from './exit-codes.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the paths where a program may be. On Windows its name has an extension, and the variable `PATH` may be
 * spelled `Path`.
 */
export function listProgramPaths(program: string, env: Environment, platform: NodeJS.Platform): readonly string[] {
  const isWindows = platform === 'win32';
  const { delimiter, isAbsolute, join } = isWindows ? win32 : posix;
  const folders = (env['PATH'] ?? (isWindows ? env['Path'] : undefined) ?? '').split(delimiter);
  const paths = isAbsolute(program)
    ? [program]
    : folders.filter((folder) => folder !== '').map((folder) => join(folder, program));
  if (!isWindows) return paths;
  const extensions = (env['PATHEXT'] ?? '.COM;.EXE;.BAT;.CMD').split(';');
  // npm installs a script without an extension beside the Windows script; the shell of Windows cannot run it.
  return paths.flatMap((path) => [...extensions.map((extension) => path + extension), path]);
}

/** A program and its arguments, as `spawn` accepts them. */
export interface SpawnCommand {
  readonly file: string;
  readonly words: readonly string[];
  readonly shell: boolean;
}

// Characters that the Windows shell does not change inside double quotes.
const plainWord = /^[\w@+=:,./\\~ -]*$/;

/**
 * Returns the command that starts a program. Programs that npm installs on Windows are scripts, which only the Windows
 * shell can start. Words that this shell would interpret are refused.
 */
export function toSpawnCommand(
  program: string,
  words: readonly string[],
  env: Environment,
  platform: NodeJS.Platform = process.platform,
  isFile: (path: string) => boolean = existsSync,
): SpawnCommand {
  if (platform !== 'win32') return { file: program, words, shell: false };
  const found = listProgramPaths(program, env, platform).find(isFile);
  if (found === undefined || !/\.(?:cmd|bat)$/i.test(found)) return { file: found ?? program, words, shell: false };
  const odd = [found.replace(/[()]/g, ''), ...words].find((word) => !plainWord.test(word));
  if (odd !== undefined)
    throw makeUsageError(
      `${program} is a script of Windows, which cannot get ${JSON.stringify(odd)} safely. Leave it out, or start the program that the script starts.`,
    );
  return { file: `"${found}"`, words: words.map((word) => `"${word}"`), shell: true };
}
