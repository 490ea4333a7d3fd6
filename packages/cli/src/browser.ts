import { spawn } from 'node:child_process';
import type { RunningServer } from '@coppice/server';

type BrowserEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * Opens the page in the user's browser and signs the user in. Never rejects. The URL contains a one-time
 * code instead of the token, because other users of the computer can see command lines.
 */
export async function openPage(
  listening: Pick<RunningServer, 'signInOnceUrl'>,
  env: BrowserEnvironment,
): Promise<boolean> {
  const url = await listening.signInOnceUrl().catch(() => null);
  return url !== null && openUrl(url, env);
}

/** Opens a URL without secrets in the user's browser, if a browser exists. Never throws and never waits. */
export function openUrl(url: string, env: BrowserEnvironment): boolean {
  const [program, ...words] = commandFor(env) ?? [];
  if (program === undefined) return false;
  const child = spawn(program, [...words, url], { stdio: 'ignore', detached: true, env: { ...env } });
  child.on('error', () => undefined);
  child.unref();
  return true;
}

function commandFor(env: BrowserEnvironment): readonly string[] | null {
  // In CI and over SSH the user would not see the browser window.
  if (env['CI'] !== undefined || env['SSH_CONNECTION'] !== undefined) return null;
  if (process.platform === 'darwin') return ['open'];
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return env['DISPLAY'] !== undefined || env['WAYLAND_DISPLAY'] !== undefined ? ['xdg-open'] : null;
}
