import { posix } from 'node:path';
import { readModule } from './modules.ts';
import { isConformanceSuite, type Workspace } from './workspace.ts';

/** What a registry requires of its members, besides a folder and a line in members.ts. */
export interface RegistryRules {
  /** The suite that each member's test must call, if the registry has one. */
  readonly suite?: string;
  /** Folders with code that several members share. They are not members themselves. */
  readonly shared?: readonly string[];
}

/** All registries. A folder with `members.ts` that is not listed here is refused, so that every registry is checked. */
const registryTable: ReadonlyMap<string, RegistryRules> = new Map([
  ['blocks', {}],
  ['formats', { suite: 'runFormatConformance' }],
  ['stores', { suite: 'runStoreConformance', shared: ['in-process', 'disk', 'sql', 'torture'] }],
  ['providers', { suite: 'runProviderConformance' }],
  ['tools', {}],
  ['commands', {}],
  ['routes', {}],
  ['subcommands', {}],
]);

// Folders with code that all members share.
const apart = new Set(['conformance', 'testing', 'fixtures', 'test']);

/** A folder of members, with what the checks need to know about it. */
export interface Registry {
  /** The name of the registry's folder, or of the package if the whole package is the registry. */
  readonly name: string;
  readonly folder: string;
  /** The folders of members, listed or not. */
  readonly folders: readonly string[];
}

/** Returns the registries of a workspace: all source folders with a `members.ts`. */
export function findRegistries(workspace: Workspace, table = registryTable): Registry[] {
  const registries: Registry[] = [];
  for (const path of workspace.paths) {
    const match = /^packages\/([^/]+)\/src\/(?:.+\/)?members\.ts$/.exec(path);
    if (!match) continue;
    const folder = posix.dirname(path);
    const name = posix.basename(folder) === 'src' ? (match[1] ?? '') : posix.basename(folder);
    const shared = table.get(name)?.shared ?? [];
    const folders = new Set<string>();
    for (const other of workspace.paths) {
      if (!other.startsWith(`${folder}/`)) continue;
      const [first, ...rest] = other.slice(folder.length + 1).split('/');
      if (first !== undefined && rest.length > 0 && !apart.has(first) && !shared.includes(first)) folders.add(first);
    }
    registries.push({ name, folder, folders: [...folders].sort() });
  }
  return registries;
}

/** Returns all problems of the registries, one sentence each. */
export function checkRegistries(workspace: Workspace, table = registryTable): string[] {
  const found: string[] = [];
  for (const registry of findRegistries(workspace, table)) {
    const rules = table.get(registry.name);
    if (rules) found.push(...checkRegistry(workspace, registry, rules));
    else found.push(`${registry.folder}/members.ts lists a registry '${registry.name}' that the table does not know.`);
  }
  return found.concat(checkUnlisted(workspace, table));
}

function checkRegistry(workspace: Workspace, registry: Registry, rules: RegistryRules): string[] {
  const { folder, name } = registry;
  const list = `${folder}/members.ts`;
  const facts = readModule(list, workspace.read(list));
  const found = facts.errors.map((error) => `${list} does not parse: ${error}`);
  const listed = new Set<string>();
  for (const each of facts.imports) {
    const member = /^\.\/([^/]+)\/index\.ts$/.exec(each.specifier ?? '')?.[1];
    if (member !== undefined) {
      if (listed.has(member)) found.push(`${list}:${each.line} lists '${member}' twice.`);
      listed.add(member);
      if (!registry.folders.includes(member))
        found.push(`${list}:${each.line} lists '${member}', but there is no folder ${folder}/${member}.`);
    } else if (!each.typeOnly)
      found.push(`${list}:${each.line} names '${each.specifier}'; it holds nothing but one line per member.`);
  }
  for (const entry of facts.lazyEntries) {
    const member = /^\.\/([^/]+)\/index\.ts$/.exec(entry.specifier)?.[1];
    if (member !== undefined && member !== entry.key)
      found.push(
        `${list}:${entry.line} calls the member '${member}' by the name '${entry.key}'; folder and key agree.`,
      );
  }
  for (const member of registry.folders) {
    if (!listed.has(member))
      found.push(`${folder}/${member} is a folder of ${name}, but members.ts has no line for it.`);
    found.push(...checkMember(workspace, `${folder}/${member}`, member, rules));
  }
  return found;
}

function checkMember(workspace: Workspace, folder: string, name: string, rules: RegistryRules): string[] {
  const found: string[] = [];
  if (!workspace.has(`${folder}/index.ts`)) found.push(`${folder} has no index.ts; that is where a member is defined.`);
  const test = [`${folder}/${name}.test.ts`, `${folder}/${name}.test.tsx`].find((path) => workspace.has(path));
  if (test === undefined) found.push(`${folder} has no ${name}.test.ts.`);
  else if (rules.suite !== undefined) {
    const { suite } = rules;
    const called = readModule(test, workspace.read(test)).calls.some((call) => call.callee.join('.') === suite);
    if (!called) found.push(`${test} does not call ${suite}, which every member of its registry answers to.`);
  }
  return found;
}

/**
 * Returns a sentence for each registry folder without `members.ts`. Such a folder would not count as a registry, and
 * its members would silently be missing.
 */
function checkUnlisted(workspace: Workspace, table: ReadonlyMap<string, RegistryRules>): string[] {
  const unlisted = new Set<string>();
  for (const path of workspace.paths) {
    const folder = /^packages\/[^/]+\/src\/(?:.+\/)?([^/]+)\/[^/]+\/index\.ts$/.exec(path);
    if (!folder?.[1] || !table.has(folder[1]) || isConformanceSuite(path)) continue;
    const registry = posix.dirname(posix.dirname(path));
    if (!workspace.has(`${registry}/members.ts`)) unlisted.add(registry);
  }
  return [...unlisted].map((folder) => `${folder} has members but no members.ts that lists them.`);
}
