import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repositoryRoot = dirname(dirname(fileURLToPath(import.meta.url)));

const locate = createRequire(import.meta.url);

/**
 * Starts a tool of the workspace with this Node and without a shell, so that arguments are passed unchanged and the
 * exit code is that of the tool. `command` is needed only if it differs from the package's name.
 */
export function startWorkspaceTool(
  name: string,
  args: readonly string[],
  options: SpawnOptions,
  command: string = name,
): ChildProcess {
  const manifest = locate.resolve(`${name}/package.json`);
  const { bin }: { readonly bin: string | Readonly<Record<string, string>> } = JSON.parse(
    readFileSync(manifest, 'utf8'),
  );
  const path = typeof bin === 'string' ? bin : bin[command];
  if (path === undefined) throw new Error(`The package ${name} has no command ${command}.`);
  return spawn(process.execPath, [join(dirname(manifest), path), ...args], { cwd: repositoryRoot, ...options });
}

/** Returns the exit code of a child process; 1 if a signal or a failed start ended it. */
export function waitForExit(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once('error', () => resolve(1));
    child.once('close', (code) => resolve(code ?? 1));
  });
}
