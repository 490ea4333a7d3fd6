/** Builds the demo: the page of `@coppice/web`, and the server's app for a worker of the browser. */
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { build, type Plugin } from 'vite';

const browser = join(import.meta.dirname, 'browser');
const packages = join(import.meta.dirname, '..', 'packages');

/** Replaces the host module of the page by the demo's. */
function demoHost(): Plugin {
  return {
    name: 'demo-host',
    enforce: 'pre',
    async resolveId(id, importer) {
      if (!id.endsWith('/page-host.ts') || importer === undefined || importer.startsWith(browser)) return null;
      return join(browser, 'demo', 'page-host.ts');
    },
  };
}

/** Builds the demo; removes earlier files of the folder first. */
export async function buildDemo(into: string): Promise<void> {
  const before = process.env['NODE_ENV'];
  process.env['NODE_ENV'] = 'production';
  try {
    await build({
      root: join(browser, 'demo'),
      base: './',
      configFile: false,
      logLevel: 'warn',
      publicDir: join(packages, 'web', 'public'),
      plugins: [demoHost(), react()],
      worker: { format: 'es' },
      build: {
        outDir: into,
        emptyOutDir: true,
        target: 'es2023',
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        chunkSizeWarningLimit: 3_000,
      },
    });
  } finally {
    if (before !== undefined) process.env['NODE_ENV'] = before;
  }
}
