/**
 * Builds the environment of a child process: variables that programs need to run, and those that the operator
 * configured.
 */
import type { McpServerConfig } from '../config/contract.ts';
import type { EnvironmentVariables } from '../config/load.ts';
import { containsSecret } from '../config/secret.ts';

const needed = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TERM', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR'],
  // Variables that Windows programs need to start.
  ...['APPDATA', 'COMSPEC', 'HOMEDRIVE', 'HOMEPATH', 'LOCALAPPDATA', 'PATHEXT', 'PROGRAMDATA', 'PROGRAMFILES'],
  ...['SYSTEMDRIVE', 'SYSTEMROOT', 'TEMP', 'TMP', 'USERNAME', 'USERPROFILE', 'WINDIR'],
];

/** The variables of a child process, and settings that could not be applied. */
export interface ChildEnvironment {
  readonly env: Readonly<Record<string, string>>;
  readonly problems: readonly string[];
}

/**
 * Builds the environment of a child. A variable that contains a key of this process is not passed on, even if the
 * configuration names it, because a key is sent only to the host it was configured for. A key for the server belongs in
 * `env`.
 */
export function buildChildEnvironment(
  config: McpServerConfig & { readonly transport: 'stdio' },
  ours: EnvironmentVariables,
): ChildEnvironment {
  const env: Record<string, string> = Object.create(null);
  const problems: string[] = [];
  for (const name of [...needed, ...config.passEnv]) {
    const value = ours[name];
    // A function that an old shell exported; another shell would execute it (Shellshock).
    if (value === undefined || value.startsWith('()')) continue;
    if (containsSecret(value))
      problems.push(`${name} holds a key and is not passed on; give the server one of its own in env.`);
    else env[name] = value;
  }
  for (const [name, value] of config.env) env[name] = value.reveal();
  return { env, problems };
}
