/** Defines subcommands: data for help and completion, and a function. Independent of the argument parser. */
import type { Deprecation } from '@coppice/core';
import type { CliContext } from '../cli-context.ts';

/** A positional argument of a subcommand. */
export interface SubcommandArgument {
  readonly name: string;
  readonly summary: string;
  readonly optional?: boolean;
  /** Takes all remaining words. */
  readonly many?: boolean;
  /** The values that a shell can complete the argument with. */
  readonly completes?: 'tree' | 'node' | 'model' | 'document' | 'file' | readonly string[];
}

/** The argument that names a chat, for every subcommand that works on one chat. */
export const chatArgument = {
  name: 'chat',
  summary: 'id or a part of it, title, or last for the most recent',
  completes: 'tree',
} as const satisfies SubcommandArgument;

/** An option. `value` names its argument; an option without `value` is a flag. */
export interface SubcommandOption {
  readonly name: string;
  readonly short?: string;
  readonly value?: string;
  /** May be given several times. */
  readonly many?: boolean;
  readonly summary: string;
  readonly completes?: SubcommandArgument['completes'];
  /** An option that will be removed. It still works, is not in the help, and prints a notice when it is used. */
  readonly deprecated?: Omit<Deprecation, 'name'>;
}

/** The parsed arguments and options of a command line, by name. */
export interface SubcommandInput {
  /** Returns a required argument or option. */
  text(name: string): string;
  optional(name: string): string | undefined;
  many(name: string): readonly string[];
  flag(name: string): boolean;
  /** Returns a whole number of at least `least` (by default 1); undefined if it is missing. Throws for other values. */
  count(name: string, least?: number): number | undefined;
}

/** The output of a subcommand: data for programs, and text for people. */
export interface SubcommandOutput {
  /** Printed with `--json`. */
  readonly data: unknown;
  /** Printed without `--json`; an iterable, so that a long thread is not held in memory. */
  readonly lines: Iterable<string>;
  /** An exit code other than zero, for commands that report findings. */
  readonly exitCode?: number;
}

export interface Subcommand {
  readonly name: string;
  readonly summary: string;
  /** The heading in `coppice --help` below which it is listed. */
  readonly group: 'Chat' | 'Read' | 'Write' | 'Undo' | 'Manage';
  readonly arguments?: readonly SubcommandArgument[];
  readonly options?: readonly SubcommandOption[];
  /** Whether the subcommand may create a store. Other subcommands fail if the store does not exist. */
  readonly begins?: boolean;
  /**
   * Where the subcommand works. By default on a store and on a server; `own-store` needs the store itself, and
   * `this-computer` concerns only this computer.
   */
  readonly worksOn?: 'any' | 'own-store' | 'this-computer';
  /** Why the subcommand does not work on a server, and what to do instead. Called with the server's URL. */
  readonly insteadOnServer?: (server: string) => string;
  /** Whether a terminal shows the output in a pager, because it is often longer than a screen. */
  readonly paged?: boolean;
  /** A command that will be removed. It still works, is not in the help, and prints a notice when it is used. */
  readonly deprecated?: Omit<Deprecation, 'name'>;
  /** Complete command lines that work, for the help. */
  readonly examples: readonly string[];
  /** Runs the subcommand. Returns null if it has printed its output itself. */
  run(given: SubcommandInput, at: CliContext): Promise<SubcommandOutput | null>;
}

/** Defines a subcommand, so that TypeScript checks its fields. */
export function defineSubcommand(subcommand: Subcommand): Subcommand {
  return subcommand;
}
