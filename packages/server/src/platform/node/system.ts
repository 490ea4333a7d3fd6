/** The system functions of the server, by Node: files, paths and the process. */
import { setMaxListeners } from 'node:events';
import { performance } from 'node:perf_hooks';

export {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
} from 'node:fs';
export { copyFile, lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
export { tmpdir } from 'node:os';
export { extname, join as joinPath, relative as relativePath } from 'node:path';

/** The id of this process. */
export const processId: number = process.pid;

/** Returns whether a process of this computer has ended. */
export function hasProcessEnded(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    // Another error, for example a missing permission, means that the process exists.
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

/** The use of resources by a process, in seconds and bytes. */
export interface ProcessUse {
  readonly uptime: () => number;
  readonly residentBytes: () => number;
  readonly cpuSeconds: () => number;
}

/** Returns functions that measure this process; null if they do not exist. */
export function measureProcess(): ProcessUse | null {
  return {
    uptime: () => process.uptime(),
    residentBytes: () => process.memoryUsage.rss(),
    cpuSeconds: () => {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    },
  };
}

/** Returns for how many milliseconds the event loop was busy since the start of the process. */
export function measureBusyMs(): number {
  return performance.eventLoopUtilization().active;
}

/** Allows any number of listeners on a signal. From the eleventh on, Node would warn about a leak. */
export function allowAnyListeners(signal: AbortSignal): void {
  setMaxListeners(0, signal);
}

/** Prints a deprecation warning. The caller makes sure that each warning is printed only once. */
export function printDeprecation(text: string): void {
  process.emitWarning(text, 'DeprecationWarning');
}

/** Lets the process end although a timer is pending. */
export function unrefTimer<T extends NodeJS.Timeout>(timer: T): T {
  timer.unref();
  return timer;
}

/** Encodes bytes as base64. */
export function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
