import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The files that the checks read. Paths start at the repository root and use `/`. */
export interface Workspace {
  readonly paths: readonly string[];
  has(path: string): boolean;
  read(path: string): string;
}

export const workspaceRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

// Folders that are not searched: generated and installed files are not our source, and fixtures may break every rule on
// purpose.
const ignoredFolders = new Set(['node_modules', 'dist', 'coverage', 'fixtures']);

/** Opens the files of the repository on disk, committed or not. */
export function openRepository(top: string = workspaceRoot): Workspace {
  const paths: string[] = [];
  const open = [''];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const entry of readdirSync(join(top, folder), { withFileTypes: true })) {
      if (entry.name.startsWith('.') || ignoredFolders.has(entry.name)) continue;
      const path = posix.join(folder, entry.name);
      if (entry.isDirectory()) open.push(path);
      else if (entry.isFile()) paths.push(path);
    }
  }
  paths.sort();
  const known = new Set(paths);
  return { paths, has: (path) => known.has(path), read: (path) => readFileSync(join(top, path), 'utf8') };
}

/** Creates a workspace in memory, so that a test of a check needs no files on disk. */
export function makeWorkspace(files: Readonly<Record<string, string>>): Workspace {
  const texts = new Map(Object.entries(files));
  return {
    paths: [...texts.keys()].sort(),
    has: (path) => texts.has(path),
    read(path) {
      const text = texts.get(path);
      if (text === undefined) throw new Error(`The test workspace has no file ${path}.`);
      return text;
    },
  };
}

export function isTypeScript(path: string): boolean {
  return /\.tsx?$/.test(path);
}

/**
 * Returns whether a file is used only by tests: a test, a helper in `testing/`, a torture test, or a conformance suite.
 * Such files may use the test runner and Node; published code must not import them.
 */
export function isTestFile(path: string): boolean {
  return (
    /\.test\.tsx?$/.test(path) ||
    /^packages\/[^/]+\/test\//.test(path) ||
    /^packages\/[^/]+\/src\/(?:testing|torture)\//.test(path) ||
    isConformanceSuite(path)
  );
}

/** Returns whether a file belongs to an exported suite, whose tests run in the packages that implement the contract. */
export function isConformanceSuite(path: string): boolean {
  return /^packages\/[^/]+\/src\/(?:.+\/)?conformance(?:\.tsx?$|\/)/.test(path);
}

/** Returns the package of a path by its folder; null for files at the root. */
export function packageOf(path: string): string | null {
  return /^packages\/([^/]+)\//.exec(path)?.[1] ?? null;
}
