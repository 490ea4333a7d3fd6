/**
 * One temporary folder for a whole run of tests, taken away at its end: a test that fails, or whose process is ended, has
 * no time to clear away after itself.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Called by the test runner before any test; processes that it starts later have the folder from it. */
export function setup(): () => void {
  // A short name: sockets are made in it, whose paths may not be long.
  const folder = mkdtempSync(join(tmpdir(), 'coppice-run-'));
  // As the system's own: some tests run programs as somebody else, who have files there, too.
  chmodSync(folder, 0o1777);
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) process.env[name] = folder;
  return () => {
    try {
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    } catch {
      // Somebody still writes into it. That is untidy, and nothing that a test could be blamed for.
    }
  };
}
