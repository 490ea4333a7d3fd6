/** A real Chromium for tests: the one from npm if it works, else an installed one. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserServer, chromium } from 'playwright-core';
import type { BrowserBrokerAddress } from './browser-broker.ts';
import { makeOnce, scratchFolder } from './make-once.ts';

const packageFolder = fileURLToPath(new URL('..', import.meta.url));
/**
 * Where the browser is unpacked: in the project, because the shared temporary folder may contain unreadable files of
 * another user.
 */
const scratch = join(scratchFolder, 'chromium');
/** A marker next to a completely unpacked browser: the package itself does not detect an incomplete one. */
const whole = join(scratch, 'whole');

/** The folder of the built page. */
export const builtPageFolder = join(packageFolder, 'dist');

interface Found {
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
}

async function executable(): Promise<Found | null> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null;
  const before = { ...process.env };
  try {
    // Set before the module is loaded, which then includes libraries that a bare system lacks.
    process.env.AWS_LAMBDA_JS_RUNTIME ??= 'nodejs22.x';
    process.env.TMPDIR = scratch;
    const { default: sparticuz } = await import('@sparticuz/chromium');
    await makeOnce(
      'chromium',
      () => existsSync(whole),
      async () => {
        rmSync(scratch, { recursive: true, force: true });
        mkdirSync(scratch, { recursive: true });
        await sparticuz.executablePath();
        writeFileSync(whole, '');
      },
    );
    const path = await sparticuz.executablePath();
    return { path, env: { LD_LIBRARY_PATH: process.env.LD_LIBRARY_PATH ?? '', FONTCONFIG_FILE: writeFontList() } };
  } finally {
    for (const name of ['TMPDIR', 'LD_LIBRARY_PATH', 'FONTCONFIG_PATH', 'HOME', 'AWS_LAMBDA_JS_RUNTIME']) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
}

// The package's own list names a folder outside the project, and without a font nothing is rendered.
function writeFontList(): string {
  const file = join(scratch, 'fonts.conf');
  const folders = [join(scratch, 'fonts'), '/usr/share/fonts'].map((folder) => `<dir>${folder}</dir>`);
  const cache = `<cachedir>${join(scratch, 'font-cache')}</cachedir>`;
  writeFileSync(file, `<?xml version="1.0"?><fontconfig>${folders.join('')}${cache}</fontconfig>`);
  return file;
}

interface LaunchOptions {
  readonly executablePath?: string;
  readonly channel?: string;
  readonly args?: string[];
  readonly env?: Record<string, string>;
  readonly headless: boolean;
}

async function launchOptions(): Promise<LaunchOptions> {
  const found = await executable();
  if (found === null) return { channel: 'chrome', headless: true };
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) if (value !== undefined) env[name] = value;
  return {
    executablePath: found.path,
    // Chromium's sandbox does not work as root and in containers.
    args: ['--no-sandbox', '--font-render-hinting=none', '--disable-dev-shm-usage'],
    env: { ...env, ...found.env },
    headless: true,
  };
}

/** Starts Chromium as a server for several processes. */
export async function launchBrowserServer(): Promise<BrowserServer> {
  return chromium.launchServer(await launchOptions());
}

/** Starts Chromium for this process. Rejects if no Chromium is installed. */
export async function launchBrowser(): Promise<Browser> {
  return chromium.launch(await launchOptions());
}

/** Connects to the Chromium of the test run. Rejects if it cannot be started: a browser test never passes without it. */
export async function connectBrowser({ port, token }: BrowserBrokerAddress): Promise<Browser> {
  const response = await fetch(`http://127.0.0.1:${port}`, { headers: { authorization: token } });
  const answer = await response.text();
  if (!response.ok) throw new Error(answer);
  return chromium.connect(answer);
}
