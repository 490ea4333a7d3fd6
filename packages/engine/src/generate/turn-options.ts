/** The options of a turn: their defaults, and their validation. */
import { isFieldMap } from '@coppice/core/decode';
import { requireNodeId, requireTreeId } from '../service.ts';
import { combineModes, maxCombinedReplies } from './combine.ts';
import type { GenerateOptions, TurnStart } from './contract.ts';
import { makeGenerateError } from './errors.ts';
import type { TurnServices } from './turn-services.ts';

/** The default options of a turn. */
export type GenerateDefaults = Pick<GenerateOptions, 'temperature' | 'maxTokens' | 'thinking' | 'fallbackModel'>;

/** Returns the options with defaults for those that are undefined. */
export function withDefaultOptions(options: GenerateOptions, defaults: GenerateDefaults = {}): GenerateOptions {
  return {
    ...options,
    temperature: options.temperature ?? defaults.temperature,
    maxTokens: options.maxTokens ?? defaults.maxTokens,
    thinking: options.thinking ?? defaults.thinking,
    fallbackModel: options.fallbackModel ?? defaults.fallbackModel,
  };
}

/** Throws if start or options are not objects, so that untyped callers get a clear error and no TypeError. */
export function assertTurnArguments(start: TurnStart, options: GenerateOptions): void {
  for (const [name, value] of Object.entries({ start, options }))
    if (!isFieldMap(value)) throw makeTypeError('an object', name, value);
}

const starts: ReadonlySet<string> = new Set<TurnStart['type']>(['send', 'reply', 'regenerate', 'combine', 'continue']);

/** Throws on an unknown type of start and on malformed ids. */
function checkStart(start: TurnStart): void {
  const { type }: { readonly type: unknown } = start;
  if (typeof type !== 'string' || !starts.has(type)) {
    const known = [...starts].join(', ');
    throw makeGenerateError('generate/invalid', `A turn begins with one of ${known}; got ${JSON.stringify(type)}.`, {
      type,
    });
  }
  requireTreeId(start.treeId);
  if (start.type === 'regenerate' || start.type === 'continue') requireNodeId(start.nodeId);
  else if (start.type === 'reply') requireNodeId(start.parentId);
  else if (start.type === 'combine') checkCombine(start);
  else if (start.parentId != null) requireNodeId(start.parentId);
  if (start.type !== 'send') return;
  const { messages }: { readonly messages: unknown } = start;
  if (!Array.isArray(messages) || !messages.every((item) => typeof item === 'object' && item !== null))
    throw makeTypeError('a list of messages', 'messages', messages);
}

/** Validates a start of type `combine`, for untyped callers. */
function checkCombine(start: Extract<TurnStart, { type: 'combine' }>): void {
  const given: { readonly nodeIds: unknown; readonly way: unknown; readonly instructions?: unknown } = start;
  const { nodeIds, way, instructions } = given;
  if (!Array.isArray(nodeIds)) throw makeTypeError('a list of nodes', 'nodeIds', nodeIds);
  for (const id of nodeIds) requireNodeId(id);
  const count = new Set(nodeIds).size;
  if (count !== nodeIds.length || count < 2 || count > maxCombinedReplies)
    throw makeGenerateError(
      'generate/invalid',
      `Between 2 and ${maxCombinedReplies} different replies can be combined; got ${nodeIds.length}.`,
      { nodeIds },
    );
  if (!combineModes.some((each) => each === way))
    throw makeGenerateError(
      'generate/invalid',
      `way must be one of ${combineModes.join(', ')}; got ${JSON.stringify(way)}.`,
      {
        way,
      },
    );
  if (instructions !== undefined && typeof instructions !== 'string')
    throw makeTypeError('a text', 'instructions', instructions);
}

/** Throws on invalid options, before anything is written. */
export function assertGenerateOptions(services: TurnServices, options: GenerateOptions, start: TurnStart): void {
  checkStart(start);
  checkKinds(options);
  const { n = 1, models } = options;
  const count = n * models.length;
  if (!Number.isInteger(n) || count < 1 || count > services.limits.replies)
    throw makeGenerateError(
      'generate/invalid',
      `Between 1 and ${services.limits.replies} replies can be requested; got ${count}.`,
      {
        n,
        models,
      },
    );
  if (count > 1 && start.type === 'continue')
    throw makeGenerateError('generate/invalid', 'A reply can be continued by one model only, with n = 1.', {
      n,
      models,
    });
  if (start.type === 'combine' && (options.tools?.length ?? 0) > 0)
    throw makeGenerateError('generate/invalid', 'Replies are combined without tools.', { tools: options.tools });
  if (count > 1 && (options.tools?.length ?? 0) > 0)
    throw makeGenerateError(
      'generate/tools-need-one',
      `Tools can be used with one reply at a time; ${count} were requested.`,
      { n, models },
    );
}

const numbers = ['n', 'temperature', 'topP', 'seed', 'maxTokens'] as const;
const lists = ['models', 'stop', 'tools'] as const;

/**
 * Throws on options of the wrong type, for untyped callers: a text would be converted to a number, and a single string
 * would be iterated as a list.
 */
function checkKinds(options: GenerateOptions): void {
  for (const name of numbers) {
    const value: unknown = options[name];
    if (value !== undefined && (typeof value !== 'number' || Number.isNaN(value)))
      throw makeTypeError('a number', name, value);
  }
  for (const name of lists) {
    const value: unknown = options[name];
    if ((value !== undefined || name === 'models') && !isTexts(value))
      throw makeTypeError('a list of texts', name, value);
  }
  const { fallbackModel }: { readonly fallbackModel?: unknown } = options;
  if (fallbackModel !== undefined && typeof fallbackModel !== 'string')
    throw makeTypeError('a text', 'fallbackModel', fallbackModel);
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function makeTypeError(what: string, name: string, value: unknown): Error {
  const is = value === null ? 'null' : Array.isArray(value) ? 'a list' : Number.isNaN(value) ? 'NaN' : typeof value;
  return makeGenerateError('generate/invalid', `${name} is ${what}; got ${is}.`, { name });
}
