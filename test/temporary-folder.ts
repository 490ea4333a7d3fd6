/**
 * One temporary folder for a whole test run, removed at its end: a test that fails, or whose process is killed,
 * cannot clean up.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Called by the test runner before any test; processes that it starts later inherit the folder. */
export function setup(): () => void {
  // A short name, because the paths of sockets in it are limited in length.
  const folder = mkdtempSync(join(tmpdir(), 'coppice-run-'));
  // Like the system's folder: some tests run programs as another user, who has files there too.
  chmodSync(folder, 0o1777);
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) process.env[name] = folder;
  return () => {
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    } catch {
      // A process still writes into it, which is not a test failure.
    }
  };
}
