import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const compressible = /\.(?:js|css|html|svg|json|webmanifest)$/;
// The smallest file that is compressed; a smaller one fits into one packet anyway.
const leastBytes = 1_000;
// For files above this size the best compression takes many seconds and saves little.
const largeBytes = 1_000_000;

/** Writes a compressed copy next to each text file: the best compression is too slow for a server at its start. */
function precompress(): Plugin {
  let folder = '';
  return {
    name: 'precompress',
    apply: 'build',
    configResolved(config) {
      folder = resolve(config.root, config.build.outDir);
    },
    async closeBundle() {
      const entries = await readdir(folder, { withFileTypes: true, recursive: true });
      const files = entries.filter((entry) => entry.isFile() && compressible.test(entry.name));
      await Promise.all(files.map((entry) => writeCompressed(join(entry.parentPath, entry.name))));
    },
  };
}

async function writeCompressed(path: string): Promise<void> {
  const bytes = await readFile(path);
  if (bytes.length < leastBytes) return;
  const params = {
    [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    [constants.BROTLI_PARAM_QUALITY]: bytes.length > largeBytes ? 9 : constants.BROTLI_MAX_QUALITY,
  };
  await writeFile(`${path}.br`, await promisify(brotliCompress)(bytes, { params }));
  await writeFile(`${path}.gz`, await promisify(gzip)(bytes, { level: 9 }));
}

interface ModuleGraph {
  getModuleInfo(id: string): { readonly importedIds: readonly string[] } | null;
}

let firstModules: ReadonlySet<string> | null = null;

/**
 * The chunk of a module that a chat needs before its first message. By default these modules would become fifty files,
 * each with its own headers and, on slow connections, its own delay.
 */
function chunkOf(id: string, graph: ModuleGraph): string | null {
  firstModules ??= findFirstModules(graph);
  return firstModules.has(id) ? 'chat' : null;
}

/** All modules that the page's entry imports, directly or not. */
function findFirstModules(graph: ModuleGraph): ReadonlySet<string> {
  const found = new Set([join(import.meta.dirname, 'src/main.tsx')]);
  for (const id of found) for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) found.add(imported);
  return found;
}

export default defineConfig(({ command }) => {
  // With another NODE_ENV, as in a test runner, the slow development build would be created, and `npm start` would
  // serve it afterwards.
  if (command === 'build') process.env.NODE_ENV = 'production';
  return {
    plugins: [react(), precompress()],
    build: {
      target: 'es2023',
      // A file inlined as a data: URL would need an exception in the page's content security policy.
      assetsInlineLimit: 0,
      // All browsers that support the page's syntax also support module preload.
      modulePreload: { polyfill: false },
      chunkSizeWarningLimit: 700,
      rolldownOptions: {
        input: {
          index: join(import.meta.dirname, 'index.html'),
          'service-worker': join(import.meta.dirname, 'src/worker/service-worker.ts'),
        },
        output: {
          // The address of a service worker stays the same; the browser compares its content.
          entryFileNames: ({ name }) => (name === 'service-worker' ? '[name].js' : 'assets/[name]-[hash].js'),
          codeSplitting: { groups: [{ name: chunkOf, debugName: 'chat' }] },
        },
      },
    },
    // For `npm run dev` with a running server, which accepts no writes from another origin.
    server: {
      host: '127.0.0.1',
      proxy: {
        '/api': { target: 'http://127.0.0.1:4460', changeOrigin: true, headers: { origin: 'http://127.0.0.1:4460' } },
      },
    },
  };
});
