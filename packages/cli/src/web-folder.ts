import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Returns the folder of the built page, next to this package or installed; null if the page was not built. */
export function findWebFolder(): string | null {
  const here = dirname(fileURLToPath(import.meta.url));
  const beside = join(here, '..', '..', 'web', 'dist');
  if (existsSync(join(beside, 'index.html'))) return beside;
  try {
    // The package is resolved and not imported, because it consists of files to serve.
    const page = '@coppice/web';
    const installed = join(dirname(createRequire(import.meta.url).resolve(`${page}/package.json`)), 'dist');
    return existsSync(join(installed, 'index.html')) ? installed : null;
  } catch {
    return null;
  }
}
