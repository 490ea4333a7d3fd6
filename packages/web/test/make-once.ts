/** Runs work once for several processes: building the page, unpacking the browser. */
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of shared files and their locks. */
export const scratchFolder = fileURLToPath(new URL('../../../.tmp', import.meta.url));

const patienceMs = 60_000;

/** Runs `make` unless its result exists; one process runs it, the others wait. */
export async function makeOnce(name: string, isThere: () => boolean, make: () => Promise<void>): Promise<void> {
  const lock = join(scratchFolder, `${name}.lock`);
  for (const begun = Date.now(); !isThere(); ) {
    if (!take(lock)) {
      // A killed process may have left the lock: waiting for it would exceed a test's time limit.
      if (isLeft(lock) || Date.now() - begun > patienceMs) rmSync(lock, { recursive: true, force: true });
      await new Promise((resolve) => setTimeout(resolve, 200));
      continue;
    }
    try {
      if (!isThere()) await make();
    } finally {
      rmSync(lock, { recursive: true, force: true });
    }
  }
}

/** Creates a lock that names its process. Returns false if another process has the lock. */
function take(lock: string): boolean {
  mkdirSync(scratchFolder, { recursive: true });
  const own = `${lock}.${process.pid}`;
  writeFileSync(own, String(process.pid));
  try {
    linkSync(own, lock);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(own, { force: true });
  }
}

/** Whether the process of a lock has ended. */
function isLeft(lock: string): boolean {
  try {
    process.kill(Number(readFileSync(lock, 'utf8')), 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}
