import type { Subcommand } from './contract.ts';
import * as members from './members.ts';

const groups: readonly Subcommand['group'][] = ['Chat', 'Read', 'Write', 'Undo', 'Manage'];

/** All subcommands in the order of the help: by heading, then by name. */
export const subcommands: readonly Subcommand[] = Object.values(members).sort(
  (a, b) => groups.indexOf(a.group) - groups.indexOf(b.group) || (a.name < b.name ? -1 : 1),
);
