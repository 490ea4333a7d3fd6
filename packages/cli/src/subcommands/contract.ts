/** What a subcommand is: data for help and completion, and one function. It knows no argument parser. */
import type { CliContext } from '../cli-context.ts';

/** A word after the subcommand's name. */
export interface SubcommandArgument {
  readonly name: string;
  readonly summary: string;
  readonly optional?: boolean;
  /** Takes all words that are left. */
  readonly many?: boolean;
  /** What a shell can complete it with. */
  readonly completes?: 'tree' | 'node' | 'file' | readonly string[];
}

/** An option. `value` names what it takes; without it, it is a flag. */
export interface SubcommandOption {
  readonly name: string;
  readonly short?: string;
  readonly value?: string;
  /** May be given several times. */
  readonly many?: boolean;
  readonly summary: string;
  readonly completes?: SubcommandArgument['completes'];
}

/** What was given on the command line, by name. */
export interface SubcommandInput {
  /** An argument or option that must be there. */
  text(name: string): string;
  optional(name: string): string | undefined;
  many(name: string): readonly string[];
  flag(name: string): boolean;
  /** A whole number from zero. */
  count(name: string): number | undefined;
}

/** What a subcommand answers: data for programs, and the same for people. */
export interface SubcommandOutput {
  /** Printed with `--json`. */
  readonly data: unknown;
  /** Printed otherwise; pieces come one by one, so that a long thread is not held in one text. */
  readonly lines: Iterable<string>;
  /** An exit code other than zero, for commands whose answer is a finding. */
  readonly exitCode?: number;
}

/** A subcommand as its folder exports it. */
export interface Subcommand {
  readonly name: string;
  readonly summary: string;
  /** The heading that it stands under in `--help`. */
  readonly group: 'Chat' | 'Read' | 'Write' | 'Undo' | 'Manage';
  readonly arguments?: readonly SubcommandArgument[];
  readonly options?: readonly SubcommandOption[];
  /** Whether it may begin a store where none is; the others leave nothing behind where nothing was. */
  readonly begins?: boolean;
  /** Whole lines that work as they stand. */
  readonly examples: readonly string[];
  /** A null answer means that everything was said already, as by a server or an interface. */
  run(given: SubcommandInput, at: CliContext): Promise<SubcommandOutput | null>;
}

/** Gives a subcommand its type and nothing else. */
export function defineSubcommand(subcommand: Subcommand): Subcommand {
  return subcommand;
}
