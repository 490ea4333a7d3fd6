/** A real Chromium for tests: the one from npm where it runs, else an installed one. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';

const packageFolder = fileURLToPath(new URL('..', import.meta.url));
/** Where the browser unpacks itself: in the project, because another user's files in the common place cannot be read. */
const scratch = join(packageFolder, '..', '..', '.tmp', 'chromium');

/** The folder of the built page. */
export const builtPage = join(packageFolder, 'dist');

async function executable(): Promise<{ readonly path: string; readonly args: readonly string[] } | null> {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null;
  // Set before the module is read: it then brings the libraries that a bare system lacks.
  process.env.AWS_LAMBDA_JS_RUNTIME ??= 'nodejs22.x';
  mkdirSync(scratch, { recursive: true });
  process.env.TMPDIR = scratch;
  const { default: sparticuz } = await import('@sparticuz/chromium');
  return { path: await sparticuz.executablePath(), args: sparticuz.args };
}

/** Starts Chromium. Rejects where none is to be had; a browser test never passes without a browser. */
export async function openBrowser(): Promise<Browser> {
  const before = process.env.TMPDIR;
  try {
    const found = await executable();
    if (found !== null)
      return await chromium.launch({
        executablePath: found.path,
        // One process dies with its tests; site isolation stays off as the package asks.
        args: found.args.filter((arg) => !arg.startsWith('--headless') && arg !== '--single-process' && arg !== '--no-zygote'),
        headless: true,
      });
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
  return chromium.launch({ channel: 'chrome', headless: true });
}
