/** Defines a command by name, parameters and function; usage, schema and argument parsing are derived. */
import type { JsonObject } from '@coppice/core';
import { readArguments } from './arguments.ts';
import type {
  CommandDefinition,
  CommandExample,
  CommandParameter,
  CommandParameterKind,
  CommandParameters,
  CommandResult,
  CommandScope,
} from './contract.ts';

/** The TypeScript type of the value that a parameter receives. */
type ValueOf<P extends CommandParameter> = P['kind'] extends 'flag'
  ? boolean
  : P['kind'] extends 'count'
    ? number
    : P extends { readonly kind: 'choice'; readonly choices: readonly (infer C)[] }
      ? C
      : string;

/** The arguments as a command receives them: an absent flag is false, any other absent argument undefined. */
export type ArgumentsOf<S extends CommandParameters> = {
  readonly [N in keyof S]: S[N] extends { readonly required: true } | { readonly kind: 'flag' }
    ? ValueOf<S[N]>
    : ValueOf<S[N]> | undefined;
};

const defaultParameter = { required: false, bare: false, choices: [] } as const;
type ValueKind = Exclude<CommandParameterKind, 'flag' | 'choice'>;

/** Declares a required positional argument. */
export function requiredArgument<K extends ValueKind>(kind: K, about: string) {
  return { ...defaultParameter, kind, about, by: 'place', required: true } as const;
}

/** Declares an optional positional argument. */
export function optionalArgument<K extends ValueKind>(kind: K, about: string) {
  return { ...defaultParameter, kind, about, by: 'place' } as const;
}

/** Declares a named argument, for example `--on 3`. */
export function optionArgument<K extends ValueKind>(kind: K, about: string) {
  return { ...defaultParameter, kind, about, by: 'name' } as const;
}

/** Declares a named text whose value may be left out, for example `--summarize` or `--summarize the tests`. */
export function optionalValueArgument(about: string) {
  return { ...defaultParameter, kind: 'text', about, by: 'name', bare: true } as const;
}

/** Declares a named argument that accepts only the given choices. */
export function choiceOption<const C extends string>(about: string, choices: readonly C[]) {
  return { ...defaultParameter, kind: 'choice', about, by: 'name', choices } as const;
}

/** Declares a flag, which is false unless the line contains it. */
export function flagArgument(about: string) {
  return { ...defaultParameter, kind: 'flag', about, by: 'name' } as const;
}

/** The functions that declare parameters, under one name for commands defined outside this package. */
export const argument = {
  needed: requiredArgument,
  maybe: optionalArgument,
  option: optionArgument,
  bareOption: optionalValueArgument,
  choice: choiceOption,
  flag: flagArgument,
} as const;

/** The fields from which {@link defineCommand} builds a command. */
export interface CommandSpecification<S extends CommandParameters, Data> {
  readonly name: string;
  readonly summary: string;
  readonly parameters: S;
  readonly examples: readonly CommandExample[];
  /** Questions of newcomers that the command answers: the guide finds the command by them. */
  readonly questions?: readonly string[];
  run(scope: CommandScope, args: ArgumentsOf<S>): Promise<CommandResult<Data>>;
}

/** Builds a command; usage text, JSON schema and argument parsing are derived from its parameters. */
export function defineCommand<S extends CommandParameters, Data>(
  spec: CommandSpecification<S, Data>,
): CommandDefinition {
  const { name, summary, parameters, examples, questions = [] } = spec;
  const usage = usageOfCommand(name, parameters);
  return {
    name,
    summary,
    usage,
    parameters,
    schema: argumentsSchema(parameters),
    examples,
    questions,
    // The values have been validated against the parameters; the compiler cannot infer that from a loop over their
    // names.
    run: async (scope, given) => spec.run(scope, readArguments({ name, usage, parameters }, given) as ArgumentsOf<S>),
  };
}

function usageOfCommand(name: string, parameters: CommandParameters): string {
  const parts = [`/${name}`];
  for (const [key, parameter] of Object.entries(parameters)) {
    const { by, kind, required, bare, choices } = parameter;
    const value = kind === 'choice' ? choices.join('|') : kind === 'text' ? `${key}…` : toHelpName(key);
    if (by === 'place') parts.push(required ? `<${value}>` : `[${value}]`);
    else if (kind === 'flag') parts.push(`[--${key}]`);
    else
      parts.push(
        bare
          ? `[--${key} [${kind}…]]`
          : `[--${key} ${kind === 'choice' ? value : `<${kind === 'text' ? 'text…' : toHelpName(kind)}>`}]`,
      );
  }
  return parts.join(' ');
}

/** The name of a parameter or its kind in help: users read about messages and chats, programs send `node` and `tree`. */
export function toHelpName(name: string): string {
  return name === 'node' ? 'message' : name === 'tree' ? 'chat' : name;
}

const jsonTypes: Readonly<Record<CommandParameterKind, JsonObject>> = {
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
