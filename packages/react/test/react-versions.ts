/** The versions of React that are peers: the installed one, and the previous major version from the registry. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'esbuild';

const root = join(import.meta.dirname, '../../..');

/** A folder in which `react` and `react-dom` are found. */
export interface InstalledReact {
  readonly folder: string;
  remove(): void;
}

/** Installs React 18 into a folder inside the repository, where everything else is found as usual. */
export function installReact18(): InstalledReact {
  mkdirSync(join(root, '.tmp'), { recursive: true });
  const folder = mkdtempSync(join(root, '.tmp/react-18-'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const words = ['install', '--no-audit', '--no-fund', '--prefer-offline', '--fetch-retries=0', '--prefix', folder];
  execFileSync('npm', [...words, 'react@18.3.1', 'react-dom@18.3.1'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Creates an esbuild plugin that resolves React from a folder. */
export function createReactResolver(folder: string): Plugin {
  return {
    name: 'react-from',
    setup(bundler) {
      bundler.onResolve({ filter: /^react(?:-dom)?(?:\/|$)/ }, ({ path, kind, resolveDir }) =>
        resolveDir === folder || resolveDir.startsWith(join(folder, 'node_modules'))
          ? undefined
          : bundler.resolve(path, { kind, resolveDir: folder }),
      );
    },
  };
}
