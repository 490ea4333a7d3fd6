/** What several processes need and one of them makes: the built page, the unpacked browser. */
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where such things and the locks on them lie. */
export const scratchFolder = fileURLToPath(new URL('../../../.tmp', import.meta.url));

const patienceMs = 60_000;

/** Makes something unless it is there; one process makes it, the others wait for it. */
export async function makeOnce(name: string, isThere: () => boolean, make: () => Promise<void>): Promise<void> {
  const lock = join(scratchFolder, `${name}.lock`);
  for (const begun = Date.now(); !isThere(); ) {
    if (!take(lock)) {
      // Who was stopped while making it left the lock behind: to wait for that takes as long as a test may take to begin.
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

/** Takes a lock, which says from its beginning on whose it is; false where it is somebody's. */
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

/** Whether a lock is of a process that there is no more. */
function isLeft(lock: string): boolean {
  try {
    process.kill(Number(readFileSync(lock, 'utf8')), 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}
