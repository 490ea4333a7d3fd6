/** Builds the demo: the page of `@coppice/web`, and the server's app for a worker of the browser. */
import { existsSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { build, type Plugin } from 'vite';

const browser = join(import.meta.dirname, 'browser');
const packages = join(import.meta.dirname, '..', 'packages');
const loadBuiltin = createRequire(import.meta.url);
const prefix = '\0node-stand-in:';

/**
 * Replaces Node's modules by small ones in `browser/node`. Names that are missing there throw when they are called: the
 * demo has no files, no sockets and no other processes.
 */
function replaceNodeModules(): Plugin {
  return {
    name: 'node-stand-ins',
    enforce: 'pre',
    resolveId: (id) => (isBuiltin(id) ? `${prefix}${id.replace(/^node:/, '')}` : null),
    async load(id) {
      if (!id.startsWith(prefix)) return null;
      const name = id.slice(prefix.length);
      const file = join(browser, 'node', `${name.replace('/', '-')}.ts`);
      const ours = existsSync(file);
      const own = ours ? exportedNames(await this.fs.readFile(file, { encoding: 'utf8' })) : new Set<string>();
      const all = Object.keys(Object(loadBuiltin(`node:${name}`))).filter(
        (each) => each !== 'default' && !own.has(each),
      );
      const text = `const refuse = (name) => function () { throw new Error('There is no ' + name + ' in a browser.'); };
${ours ? `export * from ${JSON.stringify(file)};` : ''}
${all.map((each, at) => `const name${at} = refuse(${JSON.stringify(`${name}.${each}`)}); export { name${at} as ${each} };`).join('\n')}
export default {};`;
      return { code: text, moduleSideEffects: false };
    },
  };
}

function exportedNames(text: string): ReadonlySet<string> {
  return new Set(
    [...text.matchAll(/^export (?:async )?(?:function|const|class) (\w+)/gm)].map(([, name = '']) => name),
  );
}

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
      worker: {
        format: 'es',
        plugins: () => [replaceNodeModules()],
        rolldownOptions: { external: ['pg', '@photostructure/sqlite'] },
      },
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
