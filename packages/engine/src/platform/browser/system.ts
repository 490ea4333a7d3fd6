/** The system functions of the engine in a browser, which has no files, environment variables or processes. */
import { fromBase64, toBase64 } from '@coppice/content';
import type * as node from '../node/system.ts';
import { refuseInBrowser } from './refuse.ts';

async function refuseFile(): Promise<never> {
  return refuseInBrowser('A file');
}

export const appendFile: typeof node.appendFile = refuseFile;
export const chmod: typeof node.chmod = refuseFile;
export const mkdir: typeof node.mkdir = refuseFile;
export const open: typeof node.open = refuseFile;
export const readFile: typeof node.readFile = refuseFile;
export const rename: typeof node.rename = refuseFile;
export const rm: typeof node.rm = refuseFile;
export const stat: typeof node.stat = refuseFile;

/** Throws, because a browser has no home directory. */
export function homedir(): never {
  return refuseInBrowser('A home directory');
}

/** Returns the name that stands for this computer. */
export function hostname(): string {
  return 'browser';
}

// Paths are only names in a browser: nothing is read or written there.

export function dirname(path: string): string {
  return path.replace(/\/[^/]*$/, '') || '/';
}

export function isAbsolute(path: string): boolean {
  return path.startsWith('/');
}

export function join(...parts: readonly string[]): string {
  return parts
    .filter((part) => part !== '')
    .join('/')
    .replaceAll(/\/{2,}/g, '/');
}

/** A number in place of the process id. Another tab has the same one, so it is always combined with a new id. */
export const processId = 0;

export function readEnvironment(): Readonly<Record<string, string | undefined>> {
  return {};
}

export function isWindows(): boolean {
  return false;
}

export function isProcessRunning(): boolean {
  return false;
}

export function printWarning(text: string): void {
  console.warn(text);
}

/** Does nothing, because browsers do not limit the number of listeners. */
export function allowListeners(): void {
  return undefined;
}

export function encodeBase64(bytes: Uint8Array): string {
  return toBase64(bytes);
}

/** Decodes base64 as Node does: also in the URL alphabet, up to the first padding, skipping other characters. */
export function decodeBase64(text: string): Uint8Array {
  const digits = text
    .replace(/=[\s\S]*$/, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/')
    .replaceAll(/[^A-Za-z0-9+/]/g, '');
  // A single digit at the end encodes no byte.
  const whole = digits.length % 4 === 1 ? digits.slice(0, -1) : digits;
  return fromBase64(whole.padEnd(Math.ceil(whole.length / 4) * 4, '='));
}

/** Returns whether bytes are a text in UTF-8. */
export function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
