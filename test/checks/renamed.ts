import type { Workspace } from './workspace.ts';

/** A public name that was renamed or moved to another entry of its package. */
export interface RenamedName {
  readonly package: string;
  readonly oldEntry: string;
  readonly oldName: string;
  readonly newEntry: string;
  readonly newName: string;
  /** The version that deprecated the old name, which still works. If absent, the old name no longer exists. */
  readonly deprecatedIn?: string;
}

/** The file that lists every renamed public name. */
const renamedNamesPath = 'docs/renamed.json';

const fields = ['package', 'oldEntry', 'oldName', 'newEntry', 'newName'] as const;

/** Reads the list of renamed names. Throws on a row with a missing or an additional field. */
export function readRenamedNames(workspace: Workspace): readonly RenamedName[] {
  const rows: unknown = JSON.parse(workspace.read(renamedNamesPath));
  if (!Array.isArray(rows)) throw new Error(`${renamedNamesPath} is not a list.`);
  return rows.map((row: unknown, index) => {
    const entries = typeof row === 'object' && row !== null ? Object.entries(row) : [];
    const texts = new Map(entries.filter((entry) => typeof entry[1] === 'string' && entry[1] !== ''));
    const deprecatedIn = texts.get('deprecatedIn');
    const expected = fields.length + (deprecatedIn === undefined ? 0 : 1);
    if (entries.length !== expected || fields.some((field) => !texts.has(field)))
      throw new Error(
        `${renamedNamesPath}, row ${index + 1}: expected the text fields ${fields.join(', ')}, and deprecatedIn if the old name still works.`,
      );
    const [packageName, oldEntry, oldName, newEntry, newName] = fields.map((field) => String(texts.get(field)));
    return {
      package: packageName ?? '',
      oldEntry: oldEntry ?? '',
      oldName: oldName ?? '',
      newEntry: newEntry ?? '',
      newName: newName ?? '',
      ...(deprecatedIn === undefined ? {} : { deprecatedIn: String(deprecatedIn) }),
    };
  });
}

/** Returns the specifier that imports an entry: `@coppice/core/tree` for `./tree` of `@coppice/core`. */
export function importSpecifierOf(packageName: string, entry: string): string {
  return `${packageName}${entry.slice(1)}`;
}

/**
 * Builds a TypeScript module that compiles only if each new name is exported by its entry and each old name is not,
 * unless it is only deprecated. `import type` works for types and values.
 */
export function buildRenamedImports(rows: readonly RenamedName[], entries: ReadonlySet<string>): string {
  const lines = rows.flatMap((row, index) => {
    const from = importSpecifierOf(row.package, row.oldEntry);
    const present = `export type { ${row.newName} as new${index} } from '${importSpecifierOf(row.package, row.newEntry)}';`;
    const old = `export type { ${row.oldName} as old${index} } from '${from}';`;
    if (row.deprecatedIn !== undefined) return [present, old];
    return entries.has(from) ? [present, `// @ts-expect-error ${row.oldName} is now ${row.newName}.`, old] : [present];
  });
  return `${lines.join('\n')}\nexport {};`;
}

/** Returns the errors of the list: unknown packages or entries, and names that are listed twice. */
export function checkRenamedNames(workspace: Workspace): string[] {
  const found: string[] = [];
  const exported = new Map<string, Set<string>>();
  for (const path of workspace.paths) {
    if (!/^packages\/[^/]+\/package\.json$/.test(path)) continue;
    const manifest: { name: string; exports?: object } = JSON.parse(workspace.read(path));
    exported.set(manifest.name, new Set(Object.keys(manifest.exports ?? {})));
  }
  const olds = new Set<string>();
  for (const row of readRenamedNames(workspace)) {
    const entries = exported.get(row.package);
    if (!entries) found.push(`${renamedNamesPath}: ${row.package} is not a package of this workspace.`);
    else if (!entries.has(row.newEntry))
      found.push(`${renamedNamesPath}: ${row.package} has no entry ${row.newEntry}.`);
    const old = `${importSpecifierOf(row.package, row.oldEntry)} ${row.oldName}`;
    if (olds.has(old)) found.push(`${renamedNamesPath}: ${old} is listed twice.`);
    olds.add(old);
  }
  return found;
}
