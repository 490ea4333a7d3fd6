/** Joins paths with slashes. The demo has no files, so paths are only names. */

export function join(...parts: readonly string[]): string {
  return parts
    .filter((part) => part !== '')
    .join('/')
    .replaceAll(/\/{2,}/g, '/');
}

export const resolve = join;

export function dirname(path: string): string {
  return path.replace(/\/[^/]*$/, '') || '/';
}

export function basename(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export function extname(path: string): string {
  return /[^/](\.[^./]*)$/.exec(path)?.[1] ?? '';
}

export function isAbsolute(path: string): boolean {
  return path.startsWith('/');
}
