import { posix } from 'node:path';
import { type GlobalUse, type ModuleFacts, type ModuleImport, readModule } from './modules.ts';
import { findRegistries, type Registry } from './registries.ts';
import { isTestFile, isTypeScript, packageOf, type Workspace } from './workspace.ts';

/** An external package that a package may import, and the files that may import it; by default all. */
export interface ExternalPackageRule {
  readonly name: string | RegExp;
  readonly where?: RegExp;
}

/** How far a package is isolated from clock, randomness and system. */
export type IsolationLevel =
  /** Uses only its arguments: no clock, no randomness, no I/O, and no date functions that could read the clock. */
  | 'sealed'
  /** No I/O, clock or randomness. Dates that are passed in may be converted, because other formats require it. */
  | 'pure'
  /** Accesses the system only in the files that `machine` matches, which create defaults. Timers are allowed. */
  | 'injected'
  | 'open';

/** The imports and globals that one package may use. */
export interface PackageRules {
  /** Workspace packages that the package may import. */
  readonly imports: readonly string[];
  /** Workspace packages that only its tests may import. */
  readonly testsImport?: readonly string[];
  /** Whether the package's source may use Node's built-in modules. */
  readonly node: boolean;
  readonly outside: readonly ExternalPackageRule[];
  readonly purity: IsolationLevel;
  /** Files of an `injected` package that may access the system. */
  readonly machine?: RegExp;
}

/**
 * What each package may import. A new dependency is a new entry here, restricted to the folder that needs it, so that
 * reviewers see it.
 */
export const importTable: Readonly<Record<string, PackageRules>> = {
  core: { imports: [], node: false, outside: [], purity: 'sealed' },
  content: {
    imports: ['core'],
    node: false,
    outside: [{ name: 'tokenx' }, { name: 'fflate', where: /^src\/formats\// }],
    purity: 'pure',
  },
  stores: {
    imports: ['core', 'content'],
    node: true,
    outside: [
      { name: '@photostructure/sqlite', where: /^src\/sqlite\// },
      { name: 'pg', where: /^src\/postgres\// },
    ],
    purity: 'open',
  },
  engine: {
    imports: ['core', 'content'],
    // The engine receives a store that implements the contract; its tests use real stores.
    testsImport: ['stores'],
    node: true,
    outside: [
      { name: 'smol-toml', where: /^src\/config\// },
      { name: 'fflate', where: /^src\/(?:files|testing)\// },
      { name: 'unpdf', where: /^src\/files\// },
      { name: '@modelcontextprotocol/client', where: /^src\/(?:mcp|platform\/node)\// },
      { name: 'ajv', where: /^src\/(?:tools|mcp)\// },
    ],
    purity: 'open',
  },
  server: {
    imports: ['core', 'content', 'stores', 'engine'],
    node: true,
    outside: [
      { name: 'hono' },
      { name: /^@hono\// },
      { name: 'zod' },
      { name: 'pino' },
      { name: '@modelcontextprotocol/server', where: /^src\/mcp\// },
    ],
    purity: 'open',
  },
  client: {
    imports: ['core'],
    testsImport: ['stores', 'engine', 'server'],
    node: false,
    // Sends requests with types that are generated from the server's routes.
    outside: [{ name: 'openapi-fetch' }],
    purity: 'injected',
    machine: /^src\/environment\.ts$/,
  },
  react: {
    imports: ['core', 'client'],
    testsImport: ['engine', 'server', 'web'],
    node: false,
    outside: [
      { name: 'react' },
      // Only our declarations use these types, so the package is an optional peer dependency and never imported.
      { name: '@types/react', where: /^$/ },
    ],
    purity: 'injected',
  },
  'ai-sdk': {
    imports: ['core', 'content'],
    testsImport: ['stores'],
    node: false,
    // The app brings the AI SDK as a peer, because it calls the model and provides the stream for useChat. Only the
    // hook needs React and the SDK's hooks, so those are optional peers.
    outside: [
      { name: 'ai' },
      { name: '@ai-sdk/react', where: /^src\/react\.ts$/ },
      { name: 'react', where: /^src\/react\.ts$/ },
    ],
    purity: 'open',
  },
  'assistant-ui': {
    imports: ['core', 'content', 'client'],
    testsImport: ['stores', 'engine', 'server'],
    node: false,
    outside: [{ name: '@assistant-ui/react' }, { name: 'react', where: /^src\/thread-list\.ts$/ }],
    purity: 'open',
  },
  langchain: {
    imports: ['core', 'content'],
    testsImport: ['stores'],
    node: false,
    outside: [{ name: '@langchain/core' }],
    purity: 'open',
  },
  web: {
    imports: ['core', 'content', 'client', 'react'],
    testsImport: ['stores', 'engine', 'server'],
    node: false,
    outside: [
      { name: 'react' },
      { name: 'react-dom' },
      { name: 'zustand' },
      { name: 'radix-ui' },
      { name: 'cmdk' },
      { name: 'marked', where: /^src\/markdown\// },
      // Renders formulas as MathML. Loaded when a message contains one.
      { name: 'temml', where: /^src\/markdown\// },
      // Highlights code as a tree instead of HTML. Loaded when a message contains code; the languages come from
      // highlight.js.
      { name: 'lowlight', where: /^src\/markdown\// },
      { name: 'highlight.js', where: /^src\/markdown\// },
      // Draws diagrams inside a frame without an origin. Loaded when a message contains one.
      { name: '@mermaid-js/tiny', where: /^src\/markdown\/draw-diagram\.ts$/ },
      { name: 'virtua' },
      { name: /^@fontsource-variable\// },
    ],
    purity: 'open',
  },
  cli: {
    imports: ['core', 'content', 'stores', 'engine', 'server', 'client'],
    node: true,
    outside: [
      // The command can open every store, so it depends on the drivers. The stores import them, the command does not.
      { name: '@photostructure/sqlite', where: /^$/ },
      { name: 'pg', where: /^$/ },
      { name: 'commander' },
      { name: 'picocolors' },
      { name: 'marked', where: /^src\/chat\// },
      // All output measures text width with this function.
      { name: 'string-width', where: /^src\/terminal\/width\./ },
      { name: 'ink', where: /^src\/chat\// },
      { name: 'react', where: /^src\/chat\// },
    ],
    purity: 'open',
  },
};

/**
 * The functions that create a part of the engine, and the files that may call them. All other code gets these parts
 * from `openEngine`, because a second set would have separate budgets and hooks.
 */
export const enginePartFactories: ReadonlyMap<string, readonly string[]> = new Map([
  ['createTurnGenerator', ['packages/engine/src/open-engine.ts']],
  ['createTitleGenerator', ['packages/engine/src/open-engine.ts']],
  [
    'createProviders',
    [
      'packages/engine/src/open-engine.ts',
      'packages/engine/src/providers/index.ts',
      // Lists and tries models for commands that have no store.
      'packages/cli/src/cli-context.ts',
    ],
  ],
  // An MCP client that is created without a tool registry creates an empty one.
  [
    'createTools',
    ['packages/engine/src/open-engine.ts', 'packages/engine/src/open-tools.ts', 'packages/engine/src/mcp/index.ts'],
  ],
  ['createMcpClient', ['packages/engine/src/open-tools.ts']],
  ['createCommands', ['packages/engine/src/open-engine.ts']],
  [
    'createCompactor',
    [
      'packages/engine/src/generate/index.ts',
      // These serve callers of the library that have a store but no engine.
      'packages/engine/src/commands/registry.ts',
      'packages/engine/src/compaction/compactor.ts',
      'packages/engine/src/sessions/agent-session.ts',
    ],
  ],
  [
    'createSummarizer',
    [
      'packages/engine/src/generate/index.ts',
      'packages/engine/src/compaction/compactor.ts',
      // Extracts a title from the messages without calling a model.
      'packages/engine/src/summaries/titles.ts',
    ],
  ],
]);

/** The only file that may test whether a value is an object; all other code uses its `isFieldMap`. */
const decodeModule = 'packages/core/src/decode.ts';

/**
 * The files that may give parsed JSON a type without reading its fields through the decode module, because Coppice wrote
 * the text and something else checks it.
 */
const trustedJsonFiles: readonly RegExp[] = [
  // Columns of our own tables. The check of a store and its repair find what is damaged.
  /^packages\/stores\/src\/(?:sql|postgres)\//,
  // Responses of our own server, typed by its OpenAPI document, and of an app's own chat handler.
  /^packages\/(?:client\/src\/client|web\/src\/transfer\/transfer-api|ai-sdk\/src\/tree-chat)\.ts$/,
  // The text of a run and the record of an import, which only servers of this store write.
  /^packages\/(?:engine\/src\/runs\/turn-events|server\/src\/transfer\/import-records)\.ts$/,
  // The key of a hook, which the same file wrote.
  /^packages\/react\/src\/hooks\.ts$/,
  // Programs of the tests, and what their own processes report.
  /\/(?:torture|testing)\//,
];

/** Returns a sentence for each place where a module reads JSON without the decode module. */
function checkJsonReads(path: string, { trustedJson, objectTests }: ModuleFacts): string[] {
  const found: string[] = [];
  if (path !== decodeModule)
    for (const line of objectTests)
      found.push(`${path}:${line} tests for an object itself; use isFieldMap of @coppice/core/decode.`);
  if (trustedJsonFiles.some((pattern) => pattern.test(path))) return found;
  for (const { type, line } of trustedJson)
    found.push(`${path}:${line} takes parsed JSON as ${type}; read its fields with @coppice/core/decode.`);
  return found;
}

/** Entries that must not load certain folders of their package, because those have their own entries. */
const entryLoadRules: readonly { readonly entry: string; readonly folders: readonly string[] }[] = [
  {
    entry: 'packages/engine/src/index.ts',
    folders: ['packages/engine/src/forest/', 'packages/engine/src/message-service/', 'packages/engine/src/sessions/'],
  },
];

/** Returns a sentence for each forbidden module that an entry loads. Type imports load nothing. */
function checkEntries(workspace: Workspace): string[] {
  const found: string[] = [];
  for (const { entry, folders } of entryLoadRules) {
    const waiting = workspace.has(entry) ? [entry] : [];
    const seen = new Set(waiting);
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      for (const { specifier, typeOnly, line } of readModule(path, workspace.read(path)).imports) {
        if (typeOnly || specifier === null || !/^\.\.?\//.test(specifier)) continue;
        const target = posix.join(posix.dirname(path), specifier);
        const other = folders.find((folder) => target.startsWith(folder));
        if (other !== undefined)
          found.push(`${path}:${line} makes ${entry} load ${target}, which has an entry of its own.`);
        else if (isTypeScript(target) && workspace.has(target) && !seen.has(target)) {
          seen.add(target);
          waiting.push(target);
        }
      }
    }
  }
  return found;
}

/** Globals that a pure package must not use, and what each gives access to. */
const machineNames: ReadonlyMap<string, string> = new Map([
  ...['process', 'Buffer', 'require', 'module', '__dirname', '__filename', 'Bun', 'Deno'].map(pair('the process')),
  ...['globalThis', 'window', 'self', 'global', 'document', 'navigator', 'location'].map(pair('the machine around it')),
  ...['fetch', 'XMLHttpRequest', 'WebSocket', 'EventSource', 'BroadcastChannel', 'Worker'].map(pair('I/O')),
  ...['localStorage', 'sessionStorage', 'indexedDB', 'caches', 'alert', 'console'].map(pair('I/O')),
  ...['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'requestAnimationFrame'].map(pair('time')),
  ...['performance', 'Temporal'].map(pair('a clock')),
  ...['crypto'].map(pair('randomness')),
  ...['eval', 'Function'].map(pair('code that no check can read')),
]);

function pair(what: string): (name: string) => [string, string] {
  return (name) => [name, what];
}

const readsNoClock = new Set(['parse', 'UTC']);

/** Returns why a pure package must not use a name; null if it may. */
function impurity(use: GlobalUse, purity: IsolationLevel): string | null {
  if (purity === 'open') return null;
  const brings = machineNames.get(use.name);
  if (brings) return purity === 'injected' && brings === 'time' ? null : brings;
  if (use.name === 'Math') return use.member === null || use.member === 'random' ? 'randomness' : null;
  if (use.name !== 'Date') return null;
  if (use.member !== null) return readsNoClock.has(use.member) ? null : 'a clock';
  const converts = purity === 'pure' && use.callArguments !== null && use.callArguments > 0;
  return converts ? null : 'a clock';
}

interface Manifest {
  readonly name: string;
  readonly dependencies: ReadonlySet<string>;
  readonly forTests: ReadonlySet<string>;
  readonly exports: readonly string[];
}

/**
 * Returns a sentence with file and import for each violation of the import table. A package without source has none.
 */
export function checkArchitecture(workspace: Workspace, table = importTable): string[] {
  const found: string[] = [];
  const root = readManifest(workspace, 'package.json');
  const manifests = new Map<string, Manifest>();
  for (const path of workspace.paths) {
    const folder = /^packages\/([^/]+)\/package\.json$/.exec(path)?.[1];
    if (folder === undefined) continue;
    const manifest = readManifest(workspace, path);
    manifests.set(folder, manifest);
    found.push(...checkManifest(folder, manifest, table[folder]));
  }
  const registries = findRegistries(workspace);
  found.push(...checkEntries(workspace));
  for (const path of workspace.paths.filter(isTypeScript)) {
    const facts = readModule(path, workspace.read(path));
    for (const error of facts.errors) found.push(`${path} does not parse: ${error}`);
    const folder = packageOf(path);
    const context: Context = { workspace, table, manifests, root, registries, path, folder };
    for (const each of facts.imports) {
      const why = refuseImport(context, each);
      if (why) found.push(`${path}:${each.line} ${says(each)}, ${why}.`);
    }
    const rules = folder === null ? undefined : table[folder];
    if (!rules || isTestFile(path)) continue;
    for (const { callee, line } of facts.calls) {
      const [name = ''] = callee;
      if (callee.length === 1 && enginePartFactories.get(name)?.includes(path) === false)
        found.push(`${path}:${line} calls ${name}, which assembles a second engine; take the part from openEngine.`);
    }
    found.push(...checkJsonReads(path, facts));
    const inside = path.slice(`packages/${folder}/`.length);
    const purity = rules.machine?.test(inside) === true ? 'open' : rules.purity;
    for (const use of facts.globals) {
      const brings = impurity(use, purity);
      if (brings)
        found.push(`${path}:${use.line} uses ${shown(use)}, which brings ${brings} into ${folder}; pass it in.`);
    }
    if (rules.purity === 'sealed' && facts.usesImportMeta)
      found.push(`${path} uses import.meta, which brings the machine around it into ${folder}; pass it in.`);
  }
  return found;
}

function shown(use: GlobalUse): string {
  if (use.member !== null) return `${use.name}.${use.member}`;
  return use.callArguments === null ? use.name : `${use.name}(…)`;
}

function says(each: ModuleImport): string {
  const what = each.specifier === null ? 'a computed name' : `'${each.specifier}'`;
  if (each.form === 'mock') return `mocks ${what}`;
  if (each.form === 'address') return `reaches for ${what}`;
  return `imports ${what}`;
}

function readManifest(workspace: Workspace, path: string): Manifest {
  const raw: unknown = workspace.has(path) ? JSON.parse(workspace.read(path)) : {};
  const keysOf = (field: string): string[] => Object.keys(recordAt(raw, field));
  const name = typeof raw === 'object' && raw !== null && 'name' in raw ? String(raw.name) : '';
  return {
    name,
    dependencies: new Set(['dependencies', 'peerDependencies', 'optionalDependencies'].flatMap(keysOf)),
    forTests: new Set(keysOf('devDependencies')),
    exports: keysOf('exports'),
  };
}

function recordAt(raw: unknown, field: string): object {
  if (typeof raw !== 'object' || raw === null) return {};
  const value: unknown = Object.getOwnPropertyDescriptor(raw, field)?.value;
  return typeof value === 'object' && value !== null ? value : {};
}

function checkManifest(folder: string, manifest: Manifest, rules: PackageRules | undefined): string[] {
  if (!rules) return [`packages/${folder} has no row in the import table; say there what it may import.`];
  const found: string[] = [];
  if (manifest.name !== `@coppice/${folder}`)
    found.push(`packages/${folder}/package.json is named '${manifest.name}'; its folder says '@coppice/${folder}'.`);
  for (const name of manifest.dependencies) {
    const neighbour = /^@coppice\/(.+)$/.exec(name)?.[1];
    const allowed = neighbour ? rules.imports.includes(neighbour) : rules.outside.some((rule) => matches(rule, name));
    if (!allowed) found.push(`packages/${folder}/package.json depends on '${name}', which ${folder} may not import.`);
  }
  return found;
}

/** Returns the allowances of the import table that nothing uses any more. */
export function findUnusedImportAllowances(workspace: Workspace, table = importTable): string[] {
  const root = readManifest(workspace, 'package.json');
  return Object.entries(table).flatMap(([folder, { imports, testsImport = [], outside }]) => {
    const manifest = readManifest(workspace, `packages/${folder}/package.json`);
    const named = [...manifest.dependencies, ...manifest.forTests, ...root.forTests];
    const sources = workspace.paths
      .filter((path) => isTypeScript(path) && packageOf(path) === folder)
      .map(workspace.read);
    const stale = [
      ...[...imports, ...testsImport].filter((other) => !sources.some((text) => text.includes(`'@coppice/${other}`))),
      ...outside.filter((rule) => !named.some((name) => matches(rule, name))).map(({ name }) => name),
    ];
    return stale.map((name) => `${folder} may import ${String(name)}, which it does not need.`);
  });
}

function matches(rule: ExternalPackageRule, name: string): boolean {
  return typeof rule.name === 'string' ? rule.name === name : rule.name.test(name);
}

interface Context {
  readonly workspace: Workspace;
  readonly table: Readonly<Record<string, PackageRules>>;
  readonly manifests: ReadonlyMap<string, Manifest>;
  readonly root: Manifest;
  readonly registries: readonly Registry[];
  readonly path: string;
  readonly folder: string | null;
}

/** Returns why an import is refused, as the end of a sentence; null if it is allowed. */
function refuseImport(context: Context, each: ModuleImport): string | null {
  const { specifier, form } = each;
  if (specifier === null || specifier.includes('…')) return refuseComputed(context);
  if (form === 'address') return /^\.\.?\//.test(specifier) ? refuseAddress(context, specifier) : null;
  if (/^\.\.?(?:\/|$)/.test(specifier)) return refuseRelative(context, specifier);
  if (/^(?:\/|file:|[a-z]:\\)/i.test(specifier)) return 'by a path on this machine; import by package name';
  if (specifier.startsWith('node:')) return refuseNode(context);
  if (specifier.startsWith('#')) return refusePlatform(context, specifier);
  const neighbour = /^@coppice\/([^/]+)(?:\/(.+))?$/.exec(specifier);
  if (neighbour?.[1] !== undefined) return refuseNeighbour(context, neighbour[1], neighbour[2]);
  return refuseOutside(context, specifier);
}

/** Allows the modules of a package that exist twice: one for Node, one for browsers. */
function refusePlatform({ workspace, path, folder }: Context, specifier: string): string | null {
  const name = /^#platform\/([a-z-]+)$/.exec(specifier)?.[1];
  if (name === undefined) return 'which is no module of a platform; such a name begins with #platform/';
  const lacking = ['node', 'browser']
    .map((platform) => `packages/${folder}/src/platform/${platform}/${name}.ts`)
    .filter((file) => !workspace.has(file));
  if (lacking.length > 0) return `but there is no ${lacking.join(' and no ')}`;
  return /\/src\/platform\//.test(path) ? 'from a module of one platform; import the neighbour by its path' : null;
}

function refuseComputed({ path, folder, table }: Context): string | null {
  const purity = folder === null ? 'open' : (table[folder]?.purity ?? 'open');
  return purity === 'open' || isTestFile(path) ? null : `which no check can follow; ${folder} imports by fixed names`;
}

function refuseAddress({ path, folder }: Context, specifier: string): string | null {
  const other = packageOf(posix.join(posix.dirname(path), specifier));
  return other === null || other === folder ? null : `a path into ${other}; import it by name, as @coppice/${other}`;
}

function refuseRelative({ workspace, path, folder, registries }: Context, specifier: string): string | null {
  const target = posix.join(posix.dirname(path), specifier.replace(/\?.*$/, ''));
  const other = packageOf(`${target}/`);
  if (other !== folder) {
    if (other === null) return `a path out of ${folder}; a package stands on its own files and on packages by name`;
    return `a path into ${other}; import it by name, as @coppice/${other}`;
  }
  if (!workspace.has(target) && !/(?:^|\/)fixtures\//.test(target))
    return 'which names no file; say the file with its ending';
  if (!isTestFile(path) && isTestFile(target)) return 'which serves tests only and would ship with the product';
  for (const registry of registries) {
    const from = memberOf(registry, path);
    if (from === null) continue;
    if (target === `${registry.folder}/members.ts`)
      return `the list that holds ${from} itself; a member knows nothing of its neighbours`;
    const to = memberOf(registry, target);
    if (to !== null && to !== from)
      return `another member of ${registry.name}; members never import each other, shared code goes up one level`;
  }
  return null;
}

function memberOf(registry: Registry, path: string): string | null {
  if (!path.startsWith(`${registry.folder}/`)) return null;
  const name = path.slice(registry.folder.length + 1).split('/')[0] ?? '';
  return registry.folders.includes(name) ? name : null;
}

function refuseNode({ path, folder, table }: Context): string | null {
  // A build runs in Node, even if it builds for a browser.
  if (folder === null || isTestFile(path) || path.endsWith('/vite.config.ts') || table[folder]?.node) return null;
  return `but ${folder} has no I/O of its own`;
}

function refuseNeighbour(
  { manifests, table, path, folder }: Context,
  neighbour: string,
  subpath: string | undefined,
): string | null {
  const manifest = manifests.get(neighbour);
  if (!manifest) return 'which is no package of this workspace';
  const exported = subpath === undefined || manifest.exports.some((key) => exportMatches(key, `./${subpath}`));
  if (!exported) return `which ${neighbour} does not export; a path into a neighbour by its name is still a path`;
  if (folder === null) return null;
  if (neighbour === folder) return isTestFile(path) ? null : 'its own package; inside a package paths are relative';
  const rules = table[folder];
  if (!rules) return null;
  const test = isTestFile(path);
  if (!test && subpath !== undefined && /^(?:testing|conformance)(?:\/|$)/.test(subpath))
    return 'which serves tests only and would ship with the product';
  if (rules.imports.includes(neighbour))
    return test ? null : undeclared(manifests.get(folder), `@coppice/${neighbour}`);
  if (test && rules.testsImport?.includes(neighbour)) return null;
  const allowed = rules.imports.length === 0 ? 'no other package' : `only ${rules.imports.join(', ')}`;
  return `but ${folder} may import ${allowed}`;
}

function exportMatches(key: string, subpath: string): boolean {
  const star = key.indexOf('*');
  if (star < 0) return key === subpath;
  const tail = key.slice(star + 1);
  return subpath.startsWith(key.slice(0, star)) && subpath.endsWith(tail) && subpath.length >= key.length;
}

/**
 * Returns whether a file configures a tool of a package, such as its bundler. It is not published, so it may use build
 * dependencies.
 */
function isToolConfig(path: string): boolean {
  return /^packages\/[^/]+\/[\w-]+\.config\.ts$/.test(path);
}

function undeclared(manifest: Manifest | undefined, name: string): string | null {
  return manifest?.dependencies.has(name) ? null : 'which its package.json does not name under dependencies';
}

function refuseOutside({ workspace, manifests, root, table, path, folder }: Context, specifier: string): string | null {
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
  if (folder === null) {
    const example = /^examples\/[^/]+\//.exec(path)?.[0];
    const named = example === undefined ? null : readManifest(workspace, `${example}package.json`);
    if (root.forTests.has(name) || root.dependencies.has(name) || named?.dependencies.has(name)) return null;
    return `which ${example === undefined ? 'the root' : 'its own'} package.json does not name`;
  }
  const rules = table[folder];
  if (!rules) return null;
  const own = manifests.get(folder);
  if (isTestFile(path) || isToolConfig(path)) {
    const declared = root.forTests.has(name) || own?.forTests.has(name) || own?.dependencies.has(name);
    return declared ? null : 'which neither the root package.json nor its own names';
  }
  const inside = path.slice(`packages/${folder}/`.length);
  const named = rules.outside.filter((rule) => matches(rule, name));
  if (named.length === 0) return `but the import table allows ${folder} no such package`;
  if (!named.some((rule) => !rule.where || rule.where.test(inside)))
    return `which ${folder} may use only in files matching ${named.map((rule) => String(rule.where)).join(', ')}`;
  return undeclared(own, name);
}
