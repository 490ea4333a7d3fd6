import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The files that the checks look at, by path from the top of the repository with `/` between the parts. */
export interface Workspace {
  readonly paths: readonly string[];
  has(path: string): boolean;
  read(path: string): string;
}

/** The top of the repository. */
export const repository = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

// What is made or fetched is nobody's source, and fixtures are data that may break every rule on purpose.
const passedOver = new Set(['node_modules', 'dist', 'coverage', 'fixtures']);

/** Lists the repository as it lies on disk, written or not yet committed. */
export function openRepository(top: string = repository): Workspace {
  const paths: string[] = [];
  const open = [''];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const entry of readdirSync(join(top, folder), { withFileTypes: true })) {
      if (entry.name.startsWith('.') || passedOver.has(entry.name)) continue;
      const path = posix.join(folder, entry.name);
      if (entry.isDirectory()) open.push(path);
      else if (entry.isFile()) paths.push(path);
    }
  }
  paths.sort();
  const known = new Set(paths);
  return { paths, has: (path) => known.has(path), read: (path) => readFileSync(join(top, path), 'utf8') };
}

/** A workspace written down in a test, so that a planted violation needs no file on disk. */
export function makeWorkspace(files: Readonly<Record<string, string>>): Workspace {
  const texts = new Map(Object.entries(files));
  return {
    paths: [...texts.keys()].sort(),
    has: (path) => texts.has(path),
    read(path) {
      const text = texts.get(path);
      if (text === undefined) throw new Error(`The planted workspace has no file ${path}.`);
      return text;
    },
  };
}

/** Whether a path is TypeScript that is checked, run or shipped. */
export function isTypeScript(path: string): boolean {
  return /\.tsx?$/.test(path);
}

/**
 * Whether a file serves tests only: a test, the builders under `testing/`, the torture harness, or a conformance
 * suite. Such files may use the test runner and Node; nothing that ships may import them.
 */
export function isTestFile(path: string): boolean {
  return (
    /\.test\.tsx?$/.test(path) ||
    /^packages\/[^/]+\/test\//.test(path) ||
    /^packages\/[^/]+\/src\/(?:testing|torture)\//.test(path) ||
    isSuite(path)
  );
}

/** Whether a file belongs to an exported suite, whose tests run in the packages that implement the contract. */
export function isSuite(path: string): boolean {
  return /^packages\/[^/]+\/src\/(?:.+\/)?conformance(?:\.tsx?$|\/)/.test(path);
}

/** The package that a path belongs to, by its folder, or null for what lies at the top. */
export function packageOf(path: string): string | null {
  return /^packages\/([^/]+)\//.exec(path)?.[1] ?? null;
}
