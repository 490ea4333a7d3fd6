/**
 * Creates one temporary folder for a whole test run and removes it at the end. A test that fails, or whose process is
 * killed, cannot remove its own folder.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Vitest calls this before any test. Processes that start later inherit the folder. */
export function setup(): () => void {
  // The name is short, because the paths of sockets in the folder are limited in length.
  const folder = mkdtempSync(join(tmpdir(), 'coppice-run-'));
  // The permissions are those of the system's folder, because some tests run programs as another user who creates files
  // there.
  chmodSync(folder, 0o1777);
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) process.env[name] = folder;
  return () => {
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    } catch {
      // A process still writes into the folder; that does not fail the tests.
    }
  };
}
