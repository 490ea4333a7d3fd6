/** Whether a turn can be made as it was asked for. */
import { requireNodeNamed, requireTreeNamed } from '../service.ts';
import type { GenerateOptions, TurnStart } from './contract.ts';
import { generateError } from './errors.ts';
import type { TurnServices } from './turn-services.ts';

/** Refuses what is no start and no options at all. Callers without types get a refusal and no error of the language. */
export function checkGiven(start: TurnStart, options: GenerateOptions): void {
  for (const [name, value] of Object.entries({ start, options }))
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw notA('an object', name, value);
}

const starts: ReadonlySet<string> = new Set<TurnStart['type']>(['send', 'reply', 'regenerate', 'continue']);

/** Refuses a beginning that there is not; ids that are none are unknown, as everywhere. */
function checkStart(start: TurnStart): void {
  const { type }: { readonly type: unknown } = start;
  if (typeof type !== 'string' || !starts.has(type)) {
    const known = [...starts].join(', ');
    throw generateError('generate/invalid', `A turn begins with one of ${known}; got ${JSON.stringify(type)}.`, {
      type,
    });
  }
  requireTreeNamed(start.treeId);
  if (start.type === 'regenerate' || start.type === 'continue') requireNodeNamed(start.nodeId);
  else if (start.type === 'reply') requireNodeNamed(start.parentId);
  else if (start.parentId != null) requireNodeNamed(start.parentId);
  if (start.type !== 'send') return;
  const { messages }: { readonly messages: unknown } = start;
  if (!Array.isArray(messages) || !messages.every((item) => typeof item === 'object' && item !== null))
    throw notA('a list of messages', 'messages', messages);
}

/** Refuses what no turn can be made of, before anything is written. */
export function checkGenerateOptions(services: TurnServices, options: GenerateOptions, start: TurnStart): void {
  checkStart(start);
  checkKinds(options);
  const { n = 1, models } = options;
  const count = n * models.length;
  if (!Number.isInteger(n) || count < 1 || count > services.limits.replies)
    throw generateError(
      'generate/invalid',
      `Between 1 and ${services.limits.replies} replies can be asked for; got ${count}.`,
      {
        n,
        models,
      },
    );
  if (count > 1 && start.type === 'continue')
    throw generateError('generate/invalid', 'A reply is gone on with by one model, once.', { n, models });
  if (count > 1 && (options.tools?.length ?? 0) > 0)
    throw generateError(
      'generate/tools-need-one',
      `Tools can be used with one reply at a time; ${count} were asked for.`,
      { n, models },
    );
}

const numbers = ['n', 'temperature', 'topP', 'seed', 'maxTokens'] as const;
const lists = ['models', 'stop', 'tools'] as const;

/** Callers without types: what is no number would be sent as another one, and a single text is no list of texts. */
function checkKinds(options: GenerateOptions): void {
  for (const name of numbers) {
    const value: unknown = options[name];
    if (value !== undefined && (typeof value !== 'number' || Number.isNaN(value))) throw notA('a number', name, value);
  }
  for (const name of lists) {
    const value: unknown = options[name];
    if ((value !== undefined || name === 'models') && !isTexts(value)) throw notA('a list of texts', name, value);
  }
  const { fallbackModel }: { readonly fallbackModel?: unknown } = options;
  if (fallbackModel !== undefined && typeof fallbackModel !== 'string')
    throw notA('a text', 'fallbackModel', fallbackModel);
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function notA(what: string, name: string, value: unknown): Error {
  const is = value === null ? 'null' : Array.isArray(value) ? 'a list' : Number.isNaN(value) ? 'NaN' : typeof value;
  return generateError('generate/invalid', `${name} is ${what}; got ${is}.`, { name });
}
