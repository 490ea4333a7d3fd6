/** How a member says what it is: its name, its arguments, and what it does; the rest is computed. */
import type { JsonObject } from '@coppice/core';
import { readArguments } from './arguments.ts';
import type {
  CommandDefinition,
  CommandExample,
  CommandParameters,
  CommandResult,
  CommandScope,
  Parameter,
  ParameterKind,
} from './contract.ts';

/** What the argument of a parameter is when it is given. */
type ValueOf<P extends Parameter> = P['kind'] extends 'flag'
  ? boolean
  : P['kind'] extends 'count'
    ? number
    : P extends { readonly kind: 'choice'; readonly choices: readonly (infer C)[] }
      ? C
      : string;

/** The arguments of a command as it gets them: a flag that is not given is false, anything else undefined. */
export type ArgumentsOf<S extends CommandParameters> = {
  readonly [N in keyof S]: S[N] extends { readonly required: true } | { readonly kind: 'flag' }
    ? ValueOf<S[N]>
    : ValueOf<S[N]> | undefined;
};

const plain = { required: false, bare: false, choices: [] } as const;
type Valued = Exclude<ParameterKind, 'flag' | 'choice'>;

/** An argument that has to be there, by its place in the line. */
export function requiredArgument<K extends Valued>(kind: K, about: string) {
  return { ...plain, kind, about, by: 'place', required: true } as const;
}

/** An argument that may be there, by its place in the line. */
export function optionalArgument<K extends Valued>(kind: K, about: string) {
  return { ...plain, kind, about, by: 'place' } as const;
}

/** An argument by its name, such as `--on 3`. */
export function optionArgument<K extends Valued>(kind: K, about: string) {
  return { ...plain, kind, about, by: 'name' } as const;
}

/** A text by its name that may also stand without the text, such as `--summarize` or `--summarize the tests`. */
export function bareOptionArgument(about: string) {
  return { ...plain, kind: 'text', about, by: 'name', bare: true } as const;
}

/** One of a few words, by its name. */
export function choiceArgumentOf<const C extends string>(about: string, choices: readonly C[]) {
  return { ...plain, kind: 'choice', about, by: 'name', choices } as const;
}

/** A switch that is off unless it is named. */
export function flagArgument(about: string) {
  return { ...plain, kind: 'flag', about, by: 'name' } as const;
}

/** The kinds of arguments, for commands that are defined elsewhere. */
export const argument = {
  needed: requiredArgument,
  maybe: optionalArgument,
  option: optionArgument,
  bareOption: bareOptionArgument,
  choice: choiceArgumentOf,
  flag: flagArgument,
} as const;

/** What a member says itself. */
export interface CommandSpecification<S extends CommandParameters, Data> {
  readonly name: string;
  readonly summary: string;
  readonly parameters: S;
  readonly examples: readonly CommandExample[];
  run(scope: CommandScope, args: ArgumentsOf<S>): Promise<CommandResult<Data>>;
}

/** Completes a command with its usage, its schema, and the reading of its arguments. */
export function defineCommand<S extends CommandParameters, Data>(
  spec: CommandSpecification<S, Data>,
): CommandDefinition {
  const { name, summary, parameters, examples } = spec;
  const usage = usageOfCommand(name, parameters);
  return {
    name,
    summary,
    usage,
    parameters,
    schema: argumentsSchema(parameters),
    examples,
    // What was read by the parameters is what their types say; a loop over their names cannot show it to the compiler.
    run: async (scope, given) => spec.run(scope, readArguments({ name, usage, parameters }, given) as ArgumentsOf<S>),
  };
}

function usageOfCommand(name: string, parameters: CommandParameters): string {
  const parts = [`/${name}`];
  for (const [key, parameter] of Object.entries(parameters)) {
    const { by, kind, required, bare, choices } = parameter;
    const value =
      kind === 'choice' ? choices.join('|') : kind === 'text' ? `${valueName(key, by)}…` : valueName(key, by);
    if (by === 'place') parts.push(required ? `<${value}>` : `[${value}]`);
    else if (kind === 'flag') parts.push(`[--${key}]`);
    else
      parts.push(
        bare
          ? `[--${key} [${kind}…]]`
          : `[--${key} ${kind === 'choice' ? value : `<${kind === 'text' ? 'text…' : kind}>`}]`,
      );
  }
  return parts.join(' ');
}

function valueName(key: string, by: Parameter['by']): string {
  return by === 'place' ? key : `--${key}`;
}

const jsonTypes: Readonly<Record<ParameterKind, JsonObject>> = {
  node: { type: 'string', minLength: 1, maxLength: 512 },
  text: { type: 'string' },
  model: { type: 'string', minLength: 1 },
  choice: { type: 'string' },
  tree: { type: 'string', minLength: 1, maxLength: 512 },
  command: { type: 'string', minLength: 1 },
  count: { type: 'integer', minimum: 1 },
  flag: { type: 'boolean' },
};

function argumentsSchema(parameters: CommandParameters): JsonObject {
  const properties: [string, JsonObject][] = [];
  const required: string[] = [];
  for (const [name, parameter] of Object.entries(parameters)) {
    const { kind, about, choices } = parameter;
    const listed = kind === 'choice' ? { enum: choices } : {};
    const blank = kind === 'text' && parameter.required ? { minLength: 1 } : {};
    properties.push([name, { ...jsonTypes[kind], ...listed, ...blank, description: about }]);
    if (parameter.required) required.push(name);
  }
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}
