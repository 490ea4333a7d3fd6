/**
 * Random command sequences that can be run on any tree of any store. They are plain JSON, so that a file can store
 * them.
 */
import fc from 'fast-check';
import type { CommandType } from '../plan/index.ts';

/** The types of random commands: every command, and moving a branch to another tree, which needs two trees. */
export type AbstractCommandType = CommandType | 'transplant';

/**
 * A command that refers to trees, nodes and actors by number. {@link resolveCommand} converts it to a command for the
 * trees that exist at that point, so that one list runs on every store and a shrunken list is still valid.
 */
export interface AbstractCommand {
  readonly type: AbstractCommandType;
  /** The number of the actor, from 0 to 2. */
  readonly actor: number;
  /** The number of the tree, modulo the number of existing trees. */
  readonly tree: number;
  /** The numbers of nodes. The highest numbers stand for the root and for removed, foreign and unknown nodes. */
  readonly nodes: readonly number[];
  readonly texts: readonly string[];
  /** A bit field that selects modes, roles and options. */
  readonly choice: number;
  /** How many commits the expected version is behind, plus one; zero means that no version is expected. */
  readonly behind: number;
}

// The relative frequency of each command. Commands that add nodes are more frequent than commands that remove nodes.
const weights: { readonly [T in AbstractCommandType]: number } = {
  append: 14,
  edit: 9,
  split: 4,
  join: 3,
  reply: 8,
  regenerate: 5,
  finish: 6,
  select: 4,
  navigate: 4,
  delete: 7,
  'delete-group': 2,
  clear: 1,
  move: 6,
  graft: 3,
  'cherry-pick': 3,
  merge: 3,
  branch: 3,
  compact: 2,
  mark: 4,
  duplicate: 1,
  import: 2,
  bookmark: 4,
  tag: 2,
  title: 2,
  annotate: 2,
  group: 3,
  attributes: 2,
  create: 1,
  'delete-tree': 1,
  'restore-tree': 1,
  restore: 3,
  'restore-version': 2,
  undo: 9,
  redo: 5,
  transplant: 1,
};

/** Every type that a random command may have. */
export const abstractCommandTypes: readonly AbstractCommandType[] = Object.keys(weights).filter(isAbstractType);

function isAbstractType(text: string): text is AbstractCommandType {
  return Object.hasOwn(weights, text);
}

/** The largest number that refers to a node. */
export const maxNodeNumber = 1023;

// Few different words, so that equal messages occur. The other texts are hard cases for cuts and comparisons.
const words = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'b', 'c', 'a b', 'ab', 'one two three', 'one two four') },
  {
    weight: 2,
    arbitrary: fc.constantFrom('', ' ', '\n', ' a ', '🌲🌳', 'e\u0301e\u0301', '👩‍👩‍👧x', '\ud83c', '__proto__'),
  },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
);

/** Generates one random command; the weights decide how often each type occurs. */
export const arbitraryCommand: fc.Arbitrary<AbstractCommand> = fc.record({
  type: fc.oneof(...abstractCommandTypes.map((type) => ({ weight: weights[type], arbitrary: fc.constant(type) }))),
  actor: fc.nat(2),
  tree: fc.oneof({ weight: 8, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: fc.nat(3) }),
  nodes: fc.array(fc.nat(maxNodeNumber), { minLength: 1, maxLength: 3 }),
  texts: fc.array(words, { minLength: 1, maxLength: 3 }),
  choice: fc.nat(255),
  behind: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(6) }),
});

/** Generates a random list of valid and invalid commands by three actors on a few trees. */
export function arbitraryCommands(
  options: { readonly minLength?: number; readonly maxLength?: number } = {},
): fc.Arbitrary<readonly AbstractCommand[]> {
  const { minLength = 1, maxLength = 40 } = options;
  return fc.array(arbitraryCommand, { minLength, maxLength, size: 'max' });
}

/** Serialises abstract commands to the text of a file. */
export function commandsToText(commands: readonly AbstractCommand[]): string {
  return `${commands.map((command) => JSON.stringify(command)).join('\n')}\n`;
}

/** Parses abstract commands, one per line; throws on an invalid line. */
export function commandsFromText(text: string): AbstractCommand[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.map((line, index) => {
    const value: unknown = JSON.parse(line);
    if (!isAbstractCommand(value)) throw new TypeError(`Line ${index + 1} is no command: ${line.slice(0, 120)}`);
    return value;
  });
}

function isAbstractCommand(value: unknown): value is AbstractCommand {
  if (typeof value !== 'object' || value === null) return false;
  const { type, actor, tree, nodes, texts, choice, behind } = value as Readonly<Record<string, unknown>>;
  const counts = (item: unknown) => Number.isSafeInteger(item) && Number(item) >= 0;
  return (
    typeof type === 'string' &&
    isAbstractType(type) &&
    [actor, tree, choice, behind].every(counts) &&
    Array.isArray(nodes) &&
    nodes.length > 0 &&
    nodes.every(counts) &&
    Array.isArray(texts) &&
    texts.length > 0 &&
    texts.every((item) => typeof item === 'string')
  );
}

/** Returns the options of a property: `short` runs, or 10,000 with `COPPICE_LONG=1`; `COPPICE_SEED` sets the seed. */
export function propertyParameters(
  short: number,
  environment: { readonly [name: string]: string | undefined },
): { readonly numRuns: number; readonly seed?: number } {
  const numRuns = environment['COPPICE_LONG'] === '1' ? 10_000 : short;
  const seed = Number(environment['COPPICE_SEED'] ?? Number.NaN);
  return Number.isSafeInteger(seed) ? { numRuns, seed } : { numRuns };
}

/** Returns the timeout of a test file with properties, which is hours with `COPPICE_LONG=1`. */
export function propertyTimeoutMs(environment: { readonly [name: string]: string | undefined }): number {
  return environment['COPPICE_LONG'] === '1' ? 4 * 3_600_000 : 180_000;
}
