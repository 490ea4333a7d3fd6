import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the built page, beside this package or installed with it; null where it was not built. */
export function webFolder(): string | null {
  const here = dirname(fileURLToPath(import.meta.url));
  const beside = join(here, '..', '..', 'web', 'dist');
  if (existsSync(join(beside, 'index.html'))) return beside;
  try {
    const installed = join(dirname(fileURLToPath(import.meta.resolve('@coppice/web/package.json'))), 'dist');
    return existsSync(join(installed, 'index.html')) ? installed : null;
  } catch {
    return null;
  }
}
