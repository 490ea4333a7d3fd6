/** One call of one tool: checked, approved, run within its limits, and answered whatever happens. */
import { type Block, isAppError, isText, type Json, type JsonObject, type TextBlock } from '@coppice/core';
import { hideSecrets } from '../config/secret.ts';
import { approvalHash } from './approval.ts';
import { blocksWithin, ToolContent } from './content.ts';
import type {
  ApprovalDecision,
  ApprovalRequest,
  Approve,
  Tool,
  ToolCall,
  ToolCallOptions,
  ToolErrorCode,
  ToolResult,
} from './contract.ts';
import { toolErrorKinds } from './contract.ts';
import { toolError } from './errors.ts';
import { textOfResult, withinBytes } from './result-text.ts';
import { approvalFromRules, type ToolRules } from './rules.ts';
import type { SchemaCheck } from './schema.ts';

/** How long a call may take and how much it may answer. */
export interface ToolLimits {
  readonly timeoutMs: number;
  /** All text of a result together. */
  readonly resultBytes: number;
  /** All pictures and attachments of a result together, as they are stored. */
  readonly mediaBytes: number;
}

/** One minute, one megabyte of text, and five of pictures and attachments. */
export const defaultToolLimits: ToolLimits = {
  timeoutMs: 60_000,
  resultBytes: 1024 * 1024,
  mediaBytes: 5 * 1024 * 1024,
};

/** A tool that is ready to be called. */
export interface ReadyTool {
  readonly tool: Tool;
  readonly check: SchemaCheck;
}

/** What calls need of the registry. */
export interface ToolRunner {
  readonly limits: ToolLimits;
  readonly rules: ToolRules;
  readonly now: () => number;
  find(name: string): ReadyTool | undefined;
  names(): readonly string[];
}

/** Answers a call. Never throws and never rejects: what goes wrong is the answer. */
export async function answerCall(shop: ToolRunner, call: ToolCall, options: ToolCallOptions): Promise<ToolResult> {
  const start = shop.now();
  const origin = shop.find(call.name)?.tool.origin;
  const answered = (content: readonly Block[], truncated: boolean, error: ToolErrorCode | null): ToolResult => ({
    callId: call.id,
    name: call.name,
    ...(origin === undefined ? {} : { origin }),
    message: { role: 'tool', tool_call_id: call.id, content: content.map(withoutSecrets) },
    error,
    truncated,
    elapsedMs: Math.max(0, shop.now() - start),
  });
  const said = (text: string, error: ToolErrorCode | null): ToolResult => {
    const within = withinBytes(text, shop.limits.resultBytes);
    const block: TextBlock = { type: 'text', text: within.text };
    return answered([block], within.truncated, error);
  };
  try {
    const result = await runTool(shop, call, options);
    if (!(result instanceof ToolContent)) return said(textOfResult(result), null);
    const { blocks, truncated } = blocksWithin(result, shop.limits);
    return answered(blocks, truncated, result.isError ? 'tool/failed' : null);
  } catch (error) {
    const { code, message } = toolFailure(call.name, error);
    return said(`Error (${code}): ${message}`, code);
  }
}

/** A tool that looks around may find a key of ours; it does not become part of a conversation. */
function withoutSecrets(block: Block): Block {
  if (!isText(block)) return block;
  const text = hideSecrets(block.text);
  const hidden: TextBlock = { ...block, text };
  return text === block.text ? block : hidden;
}

function toolFailure(name: string, error: unknown): { readonly code: ToolErrorCode; readonly message: string } {
  if (isAppError(error) && isToolCode(error.code)) return { code: error.code, message: error.message };
  const said = error instanceof Error ? error.message : typeof error === 'string' ? error : '';
  return { code: 'tool/failed', message: `The tool ${name} failed${said === '' ? '.' : `: ${said}`}` };
}

function isToolCode(code: string): code is ToolErrorCode {
  return Object.hasOwn(toolErrorKinds, code);
}

/** What a tool gave. One that is not typed may give nothing at all. */
type ToolCallInput = Json | ToolContent | undefined;

async function runTool(shop: ToolRunner, call: ToolCall, options: ToolCallOptions): Promise<ToolCallInput> {
  const { name } = call;
  const allowed = options.active === undefined || options.active.includes(name);
  const ready = allowed ? shop.find(name) : undefined;
  if (ready === undefined) throw unknownTool(name, options.active ?? shop.names());
  if (shop.rules.deny.includes(name))
    throw toolError('tool/not-approved', `The operator does not allow the tool ${name}.`, { name });
  if (call.malformed !== undefined)
    throw toolError('tool/bad-arguments', `The arguments of ${name} cannot be read: ${call.malformed}`, { name });
  // A copy that nobody else holds: what was checked and approved is what is run.
  const parameters: JsonObject = structuredClone(call.parameters);
  const wrong = ready.check(parameters);
  if (wrong !== undefined) throw toolError('tool/bad-arguments', `The arguments of ${name} ${wrong}.`, { name });
  if (options.signal?.aborted === true) throw abortedTool(name);
  if (ready.tool.sideEffects)
    await askForApproval(ready.tool, call.id, parameters, {
      ...options,
      approve: approvalFromRules(shop.rules, options.approve),
    });
  options.onStart?.();
  return await withinTime(shop, ready.tool, parameters, options);
}

function unknownTool(name: string, names: readonly string[]): Error {
  const shown = JSON.stringify(name.slice(0, 80));
  const others = names.length === 0 ? 'There are none.' : `There are: ${names.slice(0, 50).join(', ')}.`;
  return toolError('tool/unknown', `There is no tool ${shown}. ${others}`, { name });
}

function abortedTool(name: string): Error {
  return toolError('tool/aborted', `The call of ${name} was stopped.`, { name });
}

async function askForApproval(
  tool: Tool,
  callId: string,
  parameters: JsonObject,
  options: ToolCallOptions,
): Promise<void> {
  const { name, description, origin } = tool;
  const hash = approvalHash(name, parameters);
  const data = { name, hash };
  if (options.approve === undefined)
    throw toolError('tool/not-approved', `The tool ${name} changes things and nobody is there to approve it.`, data);
  const signal = options.signal ?? new AbortController().signal;
  const shown = { name, description, ...(origin === undefined ? {} : { origin }) };
  const request = { ...shown, callId, parameters: structuredClone(parameters), hash, signal };
  const decision = await unlessToolAborted(name, signal, decideApproval(options.approve, request));
  if (!decision.approved)
    throw toolError(
      'tool/not-approved',
      `The call of ${name} was not approved${decision.reason === undefined ? '' : `: ${decision.reason}`}.`,
      data,
    );
  if (decision.hash !== hash)
    throw toolError('tool/not-approved', `The approval for ${name} was given for other arguments.`, data);
}

/** An approval that fails is none: what could not be asked about is not run. */
async function decideApproval(approve: Approve, request: ApprovalRequest): Promise<ApprovalDecision> {
  try {
    // One without types may decide nothing at all.
    return (await approve(request)) ?? { approved: false };
  } catch (error) {
    return { approved: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

async function unlessToolAborted<T>(name: string, signal: AbortSignal, work: Promise<T>): Promise<T> {
  let stop = (): void => undefined;
  const ending = new Promise<never>((_, reject) => {
    stop = () => reject(abortedTool(name));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, ending]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Runs a tool until it answers, is stopped, or its time is over; what it does after that is no longer looked at. */
async function withinTime(
  shop: ToolRunner,
  tool: Tool,
  parameters: JsonObject,
  options: ToolCallOptions,
): Promise<ToolCallInput> {
  const { name } = tool;
  const limit = tool.timeoutMs ?? shop.limits.timeoutMs;
  const control = new AbortController();
  const late = toolError('tool/timeout', `The tool ${name} took longer than ${limit} ms.`, { name, limit });
  let stop = (): void => undefined;
  let timer: NodeJS.Timeout | undefined;
  const ending = new Promise<never>((_, reject) => {
    const end = (error: Error) => {
      // First the answer, then the signal: a tool that throws when it is told to stop does not get to say why.
      reject(error);
      control.abort(error);
    };
    timer = setTimeout(() => end(late), limit);
    stop = () => end(abortedTool(name));
    if (options.signal?.aborted === true) stop();
    else options.signal?.addEventListener('abort', stop, { once: true });
  });
  try {
    const scope = { signal: control.signal, now: shop.now, place: options.place };
    return await Promise.race([Promise.resolve().then(() => tool.run(parameters, scope)), ending]);
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', stop);
  }
}
