/** The system functions of the server in a browser, which has no files and no other processes. */
import { toBase64 } from '@coppice/content';
import type * as node from '../node/system.ts';
import { refuseInBrowser } from './refuse.ts';

function refuseFile(): never {
  return refuseInBrowser('A file');
}

async function rejectFile(): Promise<never> {
  return refuseFile();
}

export const closeSync: typeof node.closeSync = refuseFile;
export const mkdirSync: typeof node.mkdirSync = refuseFile;
export const mkdtempSync: typeof node.mkdtempSync = refuseFile;
export const openSync: typeof node.openSync = refuseFile;
export const readdirSync: typeof node.readdirSync = refuseFile;
export const readFileSync: typeof node.readFileSync = refuseFile;
export const readSync: typeof node.readSync = refuseFile;
export const renameSync: typeof node.renameSync = refuseFile;
export const rmdirSync: typeof node.rmdirSync = refuseFile;
export const rmSync: typeof node.rmSync = refuseFile;

export const copyFile: typeof node.copyFile = rejectFile;
export const lstat: typeof node.lstat = rejectFile;
export const mkdir: typeof node.mkdir = rejectFile;
export const readdir: typeof node.readdir = rejectFile;
export const readFile: typeof node.readFile = rejectFile;
export const rename: typeof node.rename = rejectFile;
export const rm: typeof node.rm = rejectFile;
export const writeFile: typeof node.writeFile = rejectFile;

// Paths are only names in a browser: nothing is read or written there.

export function tmpdir(): string {
  return '/tmp';
}

export function extname(path: string): string {
  return /[^/](\.[^./]*)$/.exec(path)?.[1] ?? '';
}

export function joinPath(...parts: readonly string[]): string {
  return parts
    .filter((part) => part !== '')
    .join('/')
    .replaceAll(/\/{2,}/g, '/');
}

export function relativePath(from: string, to: string): string {
  return to.startsWith(`${from}/`) ? to.slice(from.length + 1) : to;
}

export const processId = 0;

export function hasProcessEnded(): boolean {
  return true;
}

/** Returns null, because a browser does not tell a page its use of memory and processor. */
export function measureProcess(): node.ProcessUse | null {
  return null;
}

/** Returns 0, because a browser does not measure its event loop. */
export function measureBusyMs(): number {
  return 0;
}

/** Does nothing, because browsers do not limit the number of listeners. */
export function allowAnyListeners(): void {
  return undefined;
}

export function printDeprecation(text: string): void {
  console.warn(text);
}

/** Returns the timer; a browser does not wait for timers when a page is closed. */
export function unrefTimer<T>(timer: T): T {
  return timer;
}

export function encodeBase64(bytes: Uint8Array): string {
  return toBase64(bytes);
}
