/** Tests which modules each subcommand loads at startup: listing trees must not load the server. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const packages = resolve(import.meta.dirname, '../..');
const statement = /^(?:import|export)\s+(?!type\b)(?:[^'";]*?\sfrom\s+)?'([^']+)';/gm;

/** Returns the source file of one of our packages; null for other packages. */
function ours(name: string): string | null {
  const [, scope, rest = ''] = /^@coppice\/(\w+)(\/.*)?$/.exec(name) ?? [];
  if (scope === undefined) return null;
  const { exports } = JSON.parse(readFileSync(join(packages, scope, 'package.json'), 'utf8'));
  const entry = exports[`.${rest}`];
  // An entry with a separate module for browsers has its Node module under `default`.
  return join(packages, scope, typeof entry === 'string' ? entry : entry.default);
}

/** Returns all modules that a file loads: those of Coppice by path, others by name. */
function loadedWith(first: string): ReadonlySet<string> {
  const seen = new Set<string>([first]);
  // A Set that grows during the iteration is iterated to its new end.
  for (const file of seen) {
    if (!/\.tsx?$/.test(file) || !existsSync(file)) continue;
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(statement))
      seen.add(name.startsWith('.') ? resolve(dirname(file), name) : (ours(name) ?? name));
  }
  return seen;
}

test('[O60] the server, the interface, database drivers and the MCP client are loaded only when needed', () => {
  const loaded = loadedWith(join(import.meta.dirname, 'program.ts'));
  expect(loaded).toContain(join(packages, 'core/src/index.ts'));
  expect(loaded).toContain('commander');
  const heavy =
    /^(?:hono|@hono\/.*|pino|pg|ink|react|openapi-fetch|@modelcontextprotocol\/.*)$|\/packages\/(?:server|client)\//;
  expect([...loaded].filter((name) => heavy.test(name))).toEqual([]);
});

test('[O196] a command loads its own subcommand, and the engine only if it calls a model', () => {
  const program = loadedWith(join(import.meta.dirname, 'program.ts'));
  const list = loadedWith(join(import.meta.dirname, 'subcommands/ls/index.ts'));
  expect(list).toContain(join(packages, 'core/src/index.ts'));
  const unneeded =
    /\/cli\/src\/(?:chat|subcommands\/[^/]+)\/|\/engine\/src\/(?:index\.ts|generate\/index|commands|mcp|import|tools)|\/guide\/|\/stores\/src\/(?:index\.ts|sql|jsonl|files|postgres)|\/formats\/index/;
  expect([...program].filter((name) => unneeded.test(name))).toEqual([]);
  expect([...list].filter((name) => unneeded.test(name) && !name.includes('/subcommands/ls/'))).toEqual([]);
  // Before subcommands and the engine were loaded on demand, listing trees loaded 818 modules.
  expect(new Set([...program, ...list]).size).toBeLessThan(280);
});

test('[O61] printing the version loads nothing else', () => {
  const loaded = [...loadedWith(join(import.meta.dirname, 'main.ts'))].filter((name) => !name.startsWith('node:'));
  const own = ['src/main.ts', 'src/version.ts', 'package.json'].map((name) => join(packages, 'cli', name));
  // The manifest is imported with an attribute, so the pattern does not find it.
  expect(own).toEqual(expect.arrayContaining(loaded));
  expect(loaded).toContain(join(packages, 'cli/src/version.ts'));
});
