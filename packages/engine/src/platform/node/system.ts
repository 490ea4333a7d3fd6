/** The system functions of the engine, by Node: files, paths, environment variables and the process. */
import { setMaxListeners } from 'node:events';

export { isUtf8 } from 'node:buffer';
export { appendFile, chmod, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
export { homedir, hostname } from 'node:os';
export { dirname, isAbsolute, join } from 'node:path';

/** The id of this process. */
export const processId: number = process.pid;

/** Returns the environment variables of this process. */
export function readEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

/** Returns whether this is Windows, which has no file modes and no process groups. */
export function isWindows(): boolean {
  return process.platform === 'win32';
}

/** Returns whether a process of this computer exists. */
export function isProcessRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Prints a warning about a fault that stops nothing. */
export function printWarning(text: string): void {
  process.emitWarning(text);
}

/** Allows `count` listeners on a signal. From the eleventh on, Node would warn about a leak. */
export function allowListeners(signal: AbortSignal, count: number): void {
  setMaxListeners(count, signal);
}

/** Encodes bytes as base64. */
export function encodeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/** Decodes base64, also in the URL alphabet, with line breaks and without padding. Other characters are skipped. */
export function decodeBase64(text: string): Uint8Array {
  return Buffer.from(text, 'base64');
}
