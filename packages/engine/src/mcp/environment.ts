/** What a child gets to see of the environment: what programs cannot do without, and what the operator says. */
import type { McpServerConfig } from '../config/contract.ts';
import type { Environment } from '../config/load.ts';
import { hideSecrets } from '../config/secret.ts';

const needed = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'TERM', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR'],
  // What Windows programs do not start without.
  ...['APPDATA', 'COMSPEC', 'HOMEDRIVE', 'HOMEPATH', 'LOCALAPPDATA', 'PATHEXT', 'PROGRAMDATA', 'PROGRAMFILES'],
  ...['SYSTEMDRIVE', 'SYSTEMROOT', 'TEMP', 'TMP', 'USERNAME', 'USERPROFILE', 'WINDIR'],
];

/** A child's environment, and what of the configuration could not be followed. */
export interface ChildEnvironment {
  readonly env: Readonly<Record<string, string>>;
  readonly problems: readonly string[];
}

/**
 * The environment of a child. A variable of ours that holds a key of this process is not passed on, also where the
 * configuration names it: a key goes to the host that it was configured for. A server with a key of its own has it in `env`.
 */
export function childEnvironment(
  config: McpServerConfig & { readonly transport: 'stdio' },
  ours: Environment,
): ChildEnvironment {
  const env: Record<string, string> = Object.create(null);
  const problems: string[] = [];
  for (const name of [...needed, ...config.passEnv]) {
    const value = ours[name];
    // A function that an old shell exported would be run by the next one.
    if (value === undefined || value.startsWith('()')) continue;
    if (hideSecrets(value) === value) env[name] = value;
    else problems.push(`${name} holds a key and is not passed on; give the server one of its own in env.`);
  }
  for (const [name, value] of config.env) env[name] = value.reveal();
  return { env, problems };
}
