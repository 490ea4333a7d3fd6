import { spawn } from 'node:child_process';

/** Opens an address in the user's browser, where there is one. Never fails, and waits for nothing. */
export function openBrowser(url: string, env: Readonly<Record<string, string | undefined>>): boolean {
  const command = commandFor(env);
  if (command === null) return false;
  const [program, ...words] = command;
  if (program === undefined) return false;
  const child = spawn(program, [...words, url], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
  return true;
}

function commandFor(env: Readonly<Record<string, string | undefined>>): readonly string[] | null {
  // A browser in somebody else's terminal, or in a build, is a window that nobody sees.
  if (env['CI'] !== undefined || env['SSH_CONNECTION'] !== undefined) return null;
  if (process.platform === 'darwin') return ['open'];
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return env['DISPLAY'] !== undefined || env['WAYLAND_DISPLAY'] !== undefined ? ['xdg-open'] : null;
}
