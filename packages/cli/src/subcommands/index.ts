import type { Subcommand } from './contract.ts';
import { members } from './members.ts';

const groups: readonly Subcommand['group'][] = ['Chat', 'Read', 'Write', 'Undo', 'Manage'];

const loaders: ReadonlyMap<string, () => Promise<Subcommand>> = new Map(Object.entries(members));

/** The names of all subcommands. They are known without loading any of them. */
export const subcommandNames: readonly string[] = [...loaders.keys()];

/** Loads the named subcommands, by default all. Returns them in the order of the help: by heading, then by name. */
export async function loadSubcommands(names: readonly string[] = subcommandNames): Promise<readonly Subcommand[]> {
  const loaded = await Promise.all(names.flatMap((name) => loaders.get(name)?.() ?? []));
  return loaded.sort((a, b) => groups.indexOf(a.group) - groups.indexOf(b.group) || (a.name < b.name ? -1 : 1));
}
