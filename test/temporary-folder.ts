/**
 * One temporary folder for a whole test run, which is removed at its end. A test that fails, or whose process is
 * killed, cannot remove its own folder.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The test runner calls this before any test. Processes that start later inherit the folder. */
export function setup(): () => void {
  // A short name, because the paths of sockets in it are limited in length.
  const folder = mkdtempSync(join(tmpdir(), 'coppice-run-'));
  // Permissions like those of the system's folder: some tests run programs as another user, who creates files there
  // too.
  chmodSync(folder, 0o1777);
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) process.env[name] = folder;
  return () => {
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    } catch {
      // A process still writes into the folder, which is not a test failure.
    }
  };
}
